// Writes of a process that must hold the lease to write. Promises: nothing is sent once leadership is in doubt; every
// refusal of the server becomes a KnownError that names the object; nothing is retried here.
import { KnownError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { ApiClient } from './api-client.ts';
import { toKnownWriteError } from './api-error.ts';
import { apiVersionOf, placeOf, type Resource, resourcePath } from './resource.ts';

export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

export interface ObjectWriterOptions {
  readonly client: Pick<ApiClient, 'json'>;
  /** Why nothing may be written now, or undefined when it may. */
  readonly refusal: () => string | undefined;
}

export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** A JSON patch; its `test` operations say what the decision was based on. Returns the object as the server has it now. */
  async patch(
    resource: Resource,
    key: string,
    operations: readonly PatchOperation[],
    { signal, subresource }: { readonly signal: AbortSignal; readonly subresource?: 'status' },
  ): Promise<unknown> {
    const path = resourcePath(resource, { ...placeOf(key), ...(subresource && { subresource }) });
    return await this.#write(resource, key, {
      method: 'PATCH',
      path,
      contentType: 'application/json-patch+json',
      body: operations,
      signal,
    });
  }

  async create(resource: Resource, namespace: string, object: JsonObject, signal: AbortSignal): Promise<unknown> {
    const metadata = object['metadata'];
    const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : '';
    return await this.#write(resource, `${namespace}/${name}`, {
      method: 'POST',
      path: resourcePath(resource, { namespace }),
      body: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object },
      signal,
    });
  }

  /** Deletes the very object that was meant, or fails. */
  async remove(
    resource: Resource,
    key: string,
    preconditions: { readonly uid: string; readonly resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<unknown> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
    const path = resourcePath(resource, placeOf(key));
    return await this.#write(resource, key, { method: 'DELETE', path, body, signal });
  }

  async #write(resource: Resource, key: string, request: Parameters<ApiClient['json']>[0]): Promise<unknown> {
    const subject = `${resource.kind} ${key}`;
    const refusal = this.#options.refusal();
    if (refusal !== undefined) throw new KnownError('notLeading', `${subject} was not written: ${refusal}`);
    try {
      return await this.#options.client.json(request);
    } catch (error) {
      throw toKnownWriteError(error, subject);
    }
  }
}
