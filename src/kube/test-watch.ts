// A reflector on the pods of an embedded API server, over the real client and real TLS connections.
import { KubeConfig } from '@kubernetes/client-node';
import { expect, vi } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import type { ApiCall } from '../embedded/api/call-log.ts';
import { podNamed } from '../embedded/api/test-client.ts';
import type { Pod } from '../model/pod.ts';
import { ApiClient } from './api-client.ts';
import { viewPod } from './pod-view.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

export const kubeConfigOf = (server: EmbeddedApiServer): KubeConfig => {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig());
  return config;
};

export class PodWatch {
  readonly server: EmbeddedApiServer;
  readonly client: ApiClient;
  readonly reflector: Reflector<Pod>;
  /** `web 1` for a pod in its first state that was reported, `web gone` for its deletion: in the order of the reports. */
  readonly changes: string[] = [];
  readonly errors: { readonly error: unknown; readonly nextTryMs: number }[] = [];

  private constructor(server: EmbeddedApiServer, options: Partial<ReflectorOptions<Pod>>) {
    this.server = server;
    this.client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 5000 });
    this.reflector = new Reflector<Pod>({
      client: this.client,
      path: '/api/v1/pods',
      query: { fieldSelector: 'spec.nodeName=node-a' },
      view: viewPod,
      keyOf: ({ name }) => name,
      onChange: (key, after) => this.changes.push(`${key} ${after?.networksText ?? (after ? 'new' : 'gone')}`),
      onError: (error, nextTryMs) => this.errors.push({ error, nextTryMs }),
      backoffMinMs: 5,
      backoffMaxMs: 40,
      ...options,
    });
  }

  /** With these pods there from the start. */
  static async start(pods: readonly string[] = [], options: Partial<ReflectorOptions<Pod>> = {}): Promise<PodWatch> {
    const watch = new PodWatch(await startApiServer(), options);
    for (const name of pods) watch.create(name);
    return watch;
  }

  /** Resolves when the list was read and the watch is open. */
  async begin(): Promise<void> {
    this.reflector.start();
    await this.reflector.synced;
    await vi.waitFor(() => expect(this.reflector.isConnected).toBe(true), { timeout: 5000, interval: 2 });
  }

  async stop(): Promise<void> {
    await this.reflector.stop();
    await this.client.close();
    await this.server.stop();
  }

  create(name: string, nodeName = 'node-a'): void {
    this.server.objects.create('pods', podNamed(name, { nodeName }));
  }

  /** Gives the pod a new state that the reports can be told apart by. */
  edit(name: string, networks: string): void {
    this.server.objects.modify({ resource: 'pods', name, namespace: 'default' }, (draft) => {
      draft.metadata.annotations = { 'k8s.v1.cni.cncf.io/networks': networks };
    });
  }

  remove(name: string): void {
    this.server.objects.remove({ resource: 'pods', name, namespace: 'default' }, { gracePeriodSeconds: 0 });
  }

  get names(): string[] {
    return this.reflector
      .list()
      .map(({ name }) => name)
      .sort();
  }

  calls(verb: 'list' | 'watch'): ApiCall[] {
    return this.server.calls.matching({ verb, resource: 'pods' });
  }

  /** The resourceVersion that each watch was asked to resume from. */
  get resumedFrom(): string[] {
    return this.calls('watch').map(({ url }) => new URL(url, 'http://x').searchParams.get('resourceVersion') ?? '');
  }
}
