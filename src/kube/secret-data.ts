// The data of one Secret that several replicas write. Promises: a write is for the version that was read, or it fails as
// `stateChanged`; the Secret is neither made nor deleted here, so the right to do so is not needed: whoever may create a Secret
// of any name and type in a namespace can have the token of any account in it.
import * as z from 'zod/mini';
import { KnownError } from '../model/errors.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound, toKnownWriteError } from './api-error.ts';
import { type ObjectPlace, resourcePath, secrets } from './resource.ts';

const schema = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  data: z.nullish(z.record(z.string(), z.string())),
});

export interface VersionedData {
  readonly data: Readonly<Record<string, string>>;
  readonly version: string;
}

export class SecretData {
  readonly #client: Pick<ApiClient, 'json'>;
  readonly #path: string;
  readonly #subject: string;

  constructor(client: Pick<ApiClient, 'json'>, place: Required<Pick<ObjectPlace, 'namespace' | 'name'>>) {
    this.#client = client;
    this.#path = resourcePath(secrets, place);
    this.#subject = `Secret ${place.namespace}/${place.name}`;
  }

  async find(signal: AbortSignal): Promise<VersionedData | undefined> {
    try {
      return this.#view(await this.#client.json({ method: 'GET', path: this.#path, signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw toKnownWriteError(error, this.#subject);
    }
  }

  /** Gives the new version. */
  async replace(data: Readonly<Record<string, string>>, version: string, signal: AbortSignal): Promise<string> {
    const operations = [
      { op: 'test', path: '/metadata/resourceVersion', value: version },
      { op: 'add', path: '/data', value: data },
    ];
    try {
      const answer = await this.#client.json({
        method: 'PATCH',
        path: this.#path,
        contentType: 'application/json-patch+json',
        body: operations,
        signal,
      });
      return this.#view(answer).version;
    } catch (error) {
      throw error instanceof KnownError ? error : toKnownWriteError(error, this.#subject);
    }
  }

  #view(object: unknown): VersionedData {
    const parsed = schema.safeParse(object);
    if (!parsed.success) throw new KnownError('apiUnreachable', `${this.#subject}: the answer is no Secret`);
    return { data: parsed.data.data ?? {}, version: parsed.data.metadata.resourceVersion };
  }
}
