// As many edits of one pod as the API server takes, over connections that stay open: nothing is started per edit, so the limit is
// the server's. Bounded in number and in time.
import { type ApiClient, ApiError } from '../api-client.ts';
import { networksAnnotation, type PodRef } from '../pods.ts';

export type StormLimits = { readonly maxEdits: number; readonly maxMs: number; readonly attackers: number };

export type Storm = {
  /** Edits that the API server took, and those that it answered otherwise, by status. */
  readonly taken: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly durationMs: number;
};

/** `textOf`: the annotation of the n-th edit. */
export const rage = async (
  api: ApiClient,
  { namespace, name }: PodRef,
  textOf: (edit: number) => string,
  { maxEdits, maxMs, attackers }: StormLimits,
): Promise<Storm> => {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const refused: Record<string, number> = {};
  let [sent, taken] = [0, 0];
  const began = performance.now();
  const attack = async (): Promise<void> => {
    while (sent < maxEdits && performance.now() - began < maxMs) {
      sent += 1;
      try {
        await api.mergePatch(path, { metadata: { annotations: { [networksAnnotation]: textOf(sent) } } });
        taken += 1;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refused[error.status] = (refused[error.status] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: attackers }, attack));
  return { taken, refused, durationMs: performance.now() - began };
};
