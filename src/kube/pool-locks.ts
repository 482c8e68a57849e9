// The lock of each network's addresses: a Lease of its own in our namespace, whose annotation tells which addresses are on
// their way into which claims. The server replaces it only for who names its last version.
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { annotationPointer } from '../model/annotation-pointer.ts';
import { KnownError } from '../model/errors.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import type { ObjectWriter } from './object-writer.ts';
import { leases, resourcePath } from './resource.ts';

export const POOL_NETWORK_ANNOTATION = 'dynamic-networks.io/pool-network';
export const POOL_INTENTS_ANNOTATION = 'dynamic-networks.io/pool-intents';

const intentSchema = z.object({ claim: z.string(), uid: z.string(), ips: z.array(z.string()) });
type Intent = z.infer<typeof intentSchema>;

const leaseSchema = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    annotations: z._default(z.record(z.string(), z.string()), {}),
  }),
});

interface Lock {
  readonly version: string | undefined;
  readonly intents: readonly Intent[];
}

export class PoolLocks {
  readonly #client: Pick<ApiClient, 'json'>;
  readonly #writer: Pick<ObjectWriter, 'create' | 'patch'>;
  readonly #namespace: string;

  constructor(options: {
    readonly client: Pick<ApiClient, 'json'>;
    readonly writer: Pick<ObjectWriter, 'create' | 'patch'>;
    readonly namespace: string;
  }) {
    this.#client = options.client;
    this.#writer = options.writer;
    this.#namespace = options.namespace;
  }

  async read(network: string, signal: AbortSignal): Promise<Lock> {
    const path = resourcePath(leases, { namespace: this.#namespace, name: lockName(network) });
    try {
      return parseLock(await this.#client.json({ method: 'GET', path, signal }));
    } catch (cause) {
      if (isNotFound(cause)) return { version: undefined, intents: [] };
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new KnownError('apiUnreachable', `the lock of network ${network} cannot be read: ${detail}`, { cause });
    }
  }

  async replace(network: string, before: Lock, intents: readonly Intent[], signal: AbortSignal): Promise<Lock> {
    const text = JSON.stringify(intents);
    if (before.version === undefined) {
      const metadata = {
        name: lockName(network),
        annotations: { [POOL_NETWORK_ANNOTATION]: network, [POOL_INTENTS_ANNOTATION]: text },
      };
      return parseLock(await this.#writer.create(leases, this.#namespace, { metadata, spec: {} }, signal));
    }
    const operations = [
      { op: 'test', path: '/metadata/resourceVersion', value: before.version },
      { op: 'add', path: annotationPointer(POOL_INTENTS_ANNOTATION), value: text },
      // Without a change there would be no new version, and a second writer would not notice the first.
      { op: 'add', path: annotationPointer(POOL_ROUND_ANNOTATION), value: before.version },
    ] as const;
    return parseLock(
      await this.#writer.patch(leases, `${this.#namespace}/${lockName(network)}`, operations, { signal }),
    );
  }
}

const POOL_ROUND_ANNOTATION = 'dynamic-networks.io/pool-round';

/** Networks are called anything; objects are not. */
const lockName = (network: string): string =>
  `ip-pool-${createHash('sha256').update(network).digest('hex').slice(0, 20)}`;

const parseLock = (lease: unknown): Lock => {
  const { metadata } = leaseSchema.parse(lease);
  return { version: metadata.resourceVersion, intents: parseIntents(metadata.annotations[POOL_INTENTS_ANNOTATION]) };
};

/** Garbled by somebody, it tells nothing: who then chooses compares all claims first, as always. */
const parseIntents = (text: string | undefined): readonly Intent[] => {
  try {
    return z.array(intentSchema).parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
};
