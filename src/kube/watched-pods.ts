// The pods of one node, as the agent's port wants them.
import { KnownError } from '../model/errors.ts';
import { type PodKey, splitName } from '../model/keys.ts';
import type { Pod } from '../model/pod.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import { viewPod } from './pod-view.ts';
import { Reflector } from './reflector.ts';

export interface WatchedPodsOptions {
  readonly client: ApiClient;
  readonly nodeName: string;
  readonly onChange: (key: PodKey) => void;
  readonly onError: (error: unknown, nextTryMs: number) => void;
}

export class WatchedPods {
  readonly #client: ApiClient;
  readonly reflector: Reflector<Pod>;

  constructor({ client, nodeName, onChange, onError }: WatchedPodsOptions) {
    this.#client = client;
    this.reflector = new Reflector<Pod>({
      client,
      path: '/api/v1/pods',
      query: { fieldSelector: `spec.nodeName=${nodeName}` },
      view: viewPod,
      keyOf: (pod) => pod.key,
      onChange: (key) => onChange(key as PodKey),
      onError,
    });
  }

  find(key: PodKey): Pod | undefined {
    return this.reflector.find(key);
  }

  list(): readonly Pod[] {
    return this.reflector.list();
  }

  /** Takes in the answer to a write of ours, ahead of the watch. */
  accept(object: unknown): void {
    this.reflector.accept(object);
  }

  async refresh(key: PodKey, signal: AbortSignal): Promise<Pod | undefined> {
    const { namespace = '', name = '' } = splitName(key) ?? {};
    try {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
      this.reflector.accept(await this.#client.json({ method: 'GET', path, signal }));
    } catch (cause) {
      if (isNotFound(cause)) return undefined;
      throw new KnownError(
        'apiUnreachable',
        `pod ${key} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    }
    return this.find(key);
  }
}
