// Edits that cannot overwrite anybody: the patch is only taken if the object is still what it was decided on. When it is not,
// the decision is made again on what is there now.
import { ApiError } from '../../kube/api-error.ts';
import type { ObjectHeader } from '../../vm/object-header.ts';
import { type Edit, guardedPatch } from '../../vm/object-patch.ts';
import { CliError } from '../cli-error.ts';
import type { Reader } from './read-objects.ts';
import { type ObjectRef, objectPath, type Resource } from './resources.ts';

export interface ObjectEdit<T extends ObjectHeader, R> {
  readonly resource: Resource;
  readonly ref: ObjectRef;
  /** Throws a CliError when there is no such object. */
  readonly read: () => Promise<T>;
  /** What is to be changed, and whatever the caller wants to know of it. Throws a CliError when it cannot be done. */
  readonly decide: (object: T) => { readonly edits: readonly Edit[] } & R;
}

const MAX_TRIES = 8;
/** 422: a `test` of the patch failed. 409: the object was written between the server's reading and writing it. */
const LOST_RACE: ReadonlySet<number> = new Set([409, 422]);

export const editObject = async <T extends ObjectHeader, R>(
  { client, signal }: Reader,
  edit: ObjectEdit<T, R>,
): Promise<R & { readonly object: T }> => {
  let refused: { readonly patch: string; readonly error: ApiError } | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const object = await edit.read();
    const decided = edit.decide(object);
    const body = guardedPatch(object, decided.edits);
    const patch = JSON.stringify(body);
    // The same patch of the same state was refused before: that was no race, something refuses the edit itself.
    if (refused?.error.statusCode === 422 && refused.patch === patch) throw refused.error;
    try {
      const path = objectPath(edit.resource, edit.ref);
      await client.json({ method: 'PATCH', path, contentType: 'application/json-patch+json', body, signal });
      return { ...decided, object };
    } catch (error) {
      if (!(error instanceof ApiError) || !LOST_RACE.has(error.statusCode)) throw error;
      refused = { patch, error };
      if (attempt < MAX_TRIES) continue;
      throw new CliError(
        `${edit.resource.kind} ${edit.ref.name} is being edited by somebody else all the time`,
        'try again when they are done; nothing was overwritten',
        { cause: error },
      );
    }
  }
};
