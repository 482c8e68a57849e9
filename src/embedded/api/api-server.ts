// The API server of the embedded cluster: the Kubernetes wire protocol over HTTPS on 127.0.0.1, in this process.
// Promises: the objects survive `down` and `up`, and so does the port; after `stop` nothing of it runs any more;
// whoever writes through `objects` and whoever writes through HTTP see one and the same cluster.

import { allowAll, type DecideAccess } from './access-review.ts';
import { type ApiCall, CallLog } from './call-log.ts';
import { makeCertificate } from './certificate.ts';
import { Faults } from './faults.ts';
import { makeKubeconfig } from './kubeconfig.ts';
import { Listener } from './listener.ts';
import { MemoryObjectStore } from './memory-object-store.ts';
import type { ObjectStore } from './object-store.ts';
import { PodEndpoints } from './pod-endpoints.ts';
import { makeRequestHandler } from './request-handler.ts';
import { type ResourceDefinition, ResourceRegistry } from './resource-registry.ts';
import { WatchHub } from './watch-hub.ts';
import { AdmissionChain, type WebhookOptions } from './webhooks/admission-chain.ts';

export interface ApiServerOptions {
  /** 0, the default, takes any free one. */
  port?: number;
  /** How many changes a watch can lie behind before it gets 410. */
  historySize?: number;
  bookmarkIntervalMs?: number;
  /** The bearer tokens that are accepted; the first is that of `kubeconfig()`. */
  tokens?: string[];
  /** Resources to serve beyond the built-in table. */
  resources?: ResourceDefinition[];
  /** Answers access reviews; everything is allowed by default. */
  decideAccess?: DecideAccess;
  /**
   * The code for a merge patch that names another metadata.uid. 409 by default; 422 is what the validation of the
   * real server (an immutable field) gives.
   */
  patchUidMismatch?: 409 | 422;
  now?: () => Date;
  /** Without these no webhook configuration is acted on. */
  webhooks?: WebhookOptions;
}

export interface EmbeddedApiServer {
  readonly url: string;
  readonly caPem: string;
  readonly objects: ObjectStore;
  readonly calls: CallLog;
  readonly faults: Faults;
  /** The calls of the watches open at this moment. */
  readonly openWatches: readonly ApiCall[];
  readonly connections: number;
  kubeconfig(options?: { token?: string; namespace?: string }): string;
  /** Ports and logs of pods, as they can be asked for through the server. */
  readonly podEndpoints: PodEndpoints;
  /** As creating a CRD. */
  register(definition: ResourceDefinition): void;
  /** Closes the socket and cuts all connections; the state stays. */
  down(): Promise<void>;
  /** Listens again, on the same port. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

const defaultToken = 'embedded-admin';
const defaultBookmarkIntervalMs = 60_000;

export async function startApiServer(options: ApiServerOptions = {}): Promise<EmbeddedApiServer> {
  const registry = new ResourceRegistry();
  for (const definition of options.resources ?? []) registry.register(definition);
  const store = new MemoryObjectStore({ ...options, registry });
  const calls = new CallLog();
  const [firstToken = defaultToken, ...otherTokens] = options.tokens ?? [];
  const tokens = new Set([firstToken, ...otherTokens]);
  const watches = new WatchHub(store, options.bookmarkIntervalMs ?? defaultBookmarkIntervalMs, (call) =>
    faults.takeEventCut(call),
  );
  const faults: Faults = new Faults({
    tokens,
    dropWatches: (filter, abruptly) => watches.drop(filter, abruptly),
    expireHistory: () => store.expireHistory(),
    sendBookmarks: () => watches.sendBookmarks(),
  });
  const podEndpoints = new PodEndpoints();
  const certificate = await makeCertificate();
  const admission = options.webhooks && new AdmissionChain(store, options.webhooks);
  const handle = makeRequestHandler({
    registry,
    store,
    watches,
    faults,
    calls,
    tokens,
    settings: { patchUidMismatch: options.patchUidMismatch ?? 409 },
    decideAccess: options.decideAccess ?? allowAll,
    ...(admission === undefined ? {} : { admission }),
    podEndpoints,
  });
  const listener = new Listener(certificate, options.port ?? 0, (request, response) => void handle(request, response));
  await listener.open();

  return {
    url: listener.url,
    caPem: certificate.certPem,
    objects: store,
    calls,
    faults,
    podEndpoints,
    get openWatches() {
      return watches.openWatches;
    },
    get connections() {
      return listener.connections;
    },
    kubeconfig: ({ token = firstToken, namespace } = {}) =>
      makeKubeconfig({
        url: listener.url,
        caPem: certificate.certPem,
        token,
        ...(namespace === undefined ? {} : { namespace }),
      }),
    register: (definition) => registry.register(definition),
    down: async () => {
      watches.drop({}, true);
      await listener.close();
    },
    up: () => listener.open(),
    stop: async () => {
      watches.stop();
      await listener.close();
      admission?.close();
      // Only now: a call released earlier would still be acted on.
      faults.clear();
    },
  };
}
