// Who may use which network, as the API server's authorizers say (SubjectAccessReview).
// Promises: an answer is remembered for a short while, so a change of RBAC takes effect within it; equal questions that are
// asked at once are asked once; nobody's abort takes the answer from the others; failures are not remembered.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Requester } from '../model/admission.ts';
import { KnownError } from '../model/errors.ts';
import { canonicalJson, isJsonObject } from '../model/json.ts';
import { type NetworkName, splitName } from '../model/keys.ts';
import type { ApiClient } from './api-client.ts';
import { networkAttachmentDefinitions } from './resource.ts';

export interface NetworkAccessOptions {
  readonly client: Pick<ApiClient, 'json'>;
  readonly rememberMs: number;
  readonly now: () => number;
  /** Called once per question that reached the API server, or did not. */
  readonly onAsked?: (outcome: 'allowed' | 'denied' | 'error') => void;
}

interface Verdict {
  readonly isAllowed: boolean;
  readonly detail?: string;
}

/** Two numbers and a short text each. */
const MAX_REMEMBERED = 4096;
const REVIEWS_PATH = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

export class NetworkAccess {
  readonly #options: NetworkAccessOptions;
  readonly #remembered: LRUCache<string, Verdict>;
  readonly #asking = new Map<string, Promise<Verdict>>();

  constructor(options: NetworkAccessOptions) {
    this.#options = options;
    this.#remembered = new LRUCache({
      max: MAX_REMEMBERED,
      ttl: options.rememberMs,
      ttlResolution: 0,
      perf: { now: options.now },
    });
  }

  async mayUse(user: Requester, network: NetworkName, signal: AbortSignal): Promise<Verdict> {
    const key = keyOf(user, network);
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    return await untilAborted(this.#asking.get(key) ?? this.#ask(key, user, network), signal);
  }

  #ask(key: string, user: Requester, network: NetworkName): Promise<Verdict> {
    const asking = this.#review(user, network)
      .then((verdict) => {
        // A cache takes a lifetime of 0 for one without end.
        if (this.#options.rememberMs > 0) this.#remembered.set(key, verdict);
        this.#options.onAsked?.(verdict.isAllowed ? 'allowed' : 'denied');
        return verdict;
      })
      .catch((cause: unknown) => {
        this.#options.onAsked?.('error');
        const detail = cause instanceof Error ? cause.message : String(cause);
        throw new KnownError('apiUnreachable', `the API server does not answer an access review: ${detail}`, { cause });
      })
      .finally(() => this.#asking.delete(key));
    // Everybody who waits for it may be gone.
    asking.catch(() => undefined);
    this.#asking.set(key, asking);
    return asking;
  }

  async #review({ username, uid, groups, extra }: Requester, network: NetworkName): Promise<Verdict> {
    const { group, version, plural } = networkAttachmentDefinitions;
    const { namespace, name } = splitName(network) ?? { namespace: '', name: network };
    const answer = await this.#options.client.json({
      method: 'POST',
      path: REVIEWS_PATH,
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: username,
          groups,
          extra,
          ...(uid !== undefined && { uid }),
          resourceAttributes: { namespace, verb: 'use', group, version, resource: plural, name },
        },
      },
    });
    return readVerdict(answer);
  }
}

const readVerdict = (answer: unknown): Verdict => {
  const status = isJsonObject(answer) ? answer['status'] : undefined;
  if (!isJsonObject(status) || typeof status['allowed'] !== 'boolean') throw new Error('the answer has no status');
  const detail = [status['reason'], status['evaluationError']].find((text) => typeof text === 'string' && text !== '');
  return { isAllowed: status['allowed'], ...(typeof detail === 'string' && { detail }) };
};

/** Of fixed length, whatever somebody's groups and extra are. */
const keyOf = (user: Requester, network: NetworkName): string =>
  createHash('sha256')
    .update(canonicalJson([user, network]))
    .digest('base64');

const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
