// Plays virt-handler's part for the machines of a namespace while it runs. Level-based: each state of a machine is answered with
// what virt-handler would write into it, on that very version; a write that came too late is forgotten, since a newer state follows.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, ApiError } from '../api-client.ts';
import { say } from '../cluster/progress.ts';
import { planHandling } from './virt-handler-plan.ts';
import type { Vmi } from './vm-objects.ts';

const retryMs = 200;

export type VirtHandler = { readonly stop: () => Promise<void> };

export const vmisPath = (namespace: string): string =>
  `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`;

const isOutdated = (error: unknown): boolean => error instanceof ApiError && [404, 409, 422].includes(error.status);

export const startVirtHandler = (api: ApiClient, namespace: string): VirtHandler => {
  const ending = new AbortController();

  const handle = async (vmi: Vmi): Promise<void> => {
    const patch = planHandling(vmi);
    if (patch.length === 0) return;
    await api.jsonPatch(`${vmisPath(namespace)}/${vmi.metadata.name}`, patch).catch((error: unknown) => {
      if (!isOutdated(error)) throw error;
    });
  };

  const follow = async (): Promise<void> => {
    for await (const { type, object } of api.watch<Vmi>(vmisPath(namespace), ending.signal)) {
      if (type !== 'DELETED') await handle(object);
    }
  };

  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      // The API server may be down for a while: what is missed meanwhile comes with the next list.
      await follow().catch((error: unknown) => {
        if (!ending.signal.aborted) say(`virt-handler's part: ${String(error)}`);
      });
      await sleep(retryMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  };

  const running = run();
  return {
    stop: async () => {
      ending.abort();
      await running;
    },
  };
};
