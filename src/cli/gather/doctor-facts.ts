// Everything that the doctor looks at, read at one time. What may not be read is undefined, and the findings say so.
import * as z from 'zod/mini';
import { ApiError } from '../../kube/api-error.ts';
import { isJsonObject } from '../../model/json.ts';
import type { Session } from '../session.ts';
import { type ClusterPod, listPods } from './cluster-pod.ts';
import { type ClusterEvent, isOurs, listEvents } from './events.ts';
import { findInstallation, type Installation } from './installation.ts';
import {
  askAddresses,
  askLedger,
  askPod,
  type HeldInterface,
  type HostLocalAddresses,
  listOurPods,
  type OurPod,
} from './our-pods.ts';
import { findObjects } from './read-objects.ts';
import { MUTATING_WEBHOOKS, NETWORKS, VALIDATING_WEBHOOKS, WHEREABOUTS_POOLS } from './resources.ts';

export interface AgentFacts {
  readonly pod: OurPod;
  /** Part by part, as /readyz says it; undefined when it cannot be asked. */
  readonly parts: Readonly<Record<string, string>> | undefined;
  readonly unreachable: string | undefined;
  readonly ledger: readonly HeldInterface[] | undefined;
  readonly addresses: HostLocalAddresses | undefined;
}

export interface WebhookFacts {
  readonly configuration: string;
  readonly webhook: string;
  /** PEM; empty when nobody has filled it in. */
  readonly caBundle: string;
}

export interface AccessFacts {
  readonly account: string;
  readonly right: string;
  readonly isAllowed: boolean;
}

export interface WhereaboutsAllocation {
  readonly pool: string;
  readonly podRef: string;
  readonly offset: string;
}

export interface DoctorFacts {
  readonly serverVersion: string;
  readonly cliVersion: string;
  readonly hasNetworks: boolean;
  readonly installation: Installation;
  readonly agents: readonly AgentFacts[];
  readonly controllers: readonly AgentFacts[];
  readonly pods: readonly ClusterPod[] | undefined;
  readonly nodeEvents: readonly ClusterEvent[] | undefined;
  readonly webhooks: readonly WebhookFacts[] | undefined;
  readonly access: readonly AccessFacts[] | undefined;
  /** Undefined without whereabouts. */
  readonly allocations: readonly WhereaboutsAllocation[] | undefined;
}

export const gatherDoctorFacts = async (session: Session, cliVersion: string): Promise<DoctorFacts> => {
  const say = (what: string) => session.terminal.progress(`looking at ${what} …`);
  say('the API server');
  const version = await session.client.json({ method: 'GET', path: '/version', signal: session.signal });
  const serverVersion = isJsonObject(version) ? String(version['gitVersion'] ?? '') : '';
  const hasNetworks = (await findObjects(session, NETWORKS, { query: { limit: '1' } })) !== undefined;
  say('the installation');
  const installation = await findInstallation(session);
  const namespace = installation.agents?.namespace ?? installation.controller?.namespace;
  const ours = namespace === undefined ? [] : await listOurPods(session, namespace);
  say('the agents');
  const staying = ours.filter(({ isLeaving }) => !isLeaving);
  const asked = await Promise.all(staying.map((pod) => askOne(session, pod)));
  say('pods, events and addresses');
  const [pods, nodeEvents, webhooks, access, allocations] = await Promise.all([
    ifAllowed(() => listPods(session, undefined)),
    ifAllowed(() => readNodeEvents(session)),
    ifAllowed(() => readWebhooks(session)),
    ifAllowed(() => reviewAgent(session, namespace)),
    ifAllowed(() => readAllocations(session)),
  ]);
  session.terminal.progress('');
  return {
    serverVersion,
    cliVersion,
    hasNetworks,
    installation,
    agents: asked.filter(({ pod }) => pod.component === 'agent'),
    controllers: asked.filter(({ pod }) => pod.component === 'controller'),
    pods,
    nodeEvents,
    webhooks,
    access,
    allocations,
  };
};

const ifAllowed = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && (error.statusCode === 403 || error.statusCode === 404)) return undefined;
    throw error;
  }
};

const askOne = async (session: Session, pod: OurPod): Promise<AgentFacts> => {
  const isAgent = pod.component === 'agent';
  const [health, ledger, addresses] = await Promise.all([
    askPod(session, pod, '/readyz'),
    isAgent ? askLedger(session, pod) : undefined,
    isAgent ? askAddresses(session, pod) : undefined,
  ]);
  const parts = parseParts(health.text);
  return { pod, parts, unreachable: parts === undefined ? health.text : undefined, ledger, addresses };
};

/** An agent that is not ready answers 503 with the same body, so the body counts and not the code. */
const parseParts = (text: string): Readonly<Record<string, string>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || value['kind'] === 'Status') return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, state]) => [name, String(state)]));
  } catch {
    return undefined;
  }
};

/** Events about Nodes are in the namespace `default`. */
const readNodeEvents = async (session: Session): Promise<readonly ClusterEvent[]> =>
  (await listEvents(session, 'default', { fieldSelector: 'involvedObject.kind=Node' })).filter(isOurs);

const webhookSchema = z.object({
  metadata: z.object({ name: z.string() }),
  webhooks: z._default(
    z.array(z.object({ name: z.string(), clientConfig: z.object({ caBundle: z._default(z.string(), '') }) })),
    [],
  ),
});

const readWebhooks = async (session: Session): Promise<readonly WebhookFacts[]> => {
  const lists = await Promise.all([VALIDATING_WEBHOOKS, MUTATING_WEBHOOKS].map((kind) => findObjects(session, kind)));
  return lists.flatMap((objects) =>
    (objects ?? []).flatMap((object) => {
      const parsed = webhookSchema.safeParse(object);
      if (!parsed.success || !parsed.data.metadata.name.startsWith('dynamic-networks')) return [];
      return parsed.data.webhooks.map(({ name, clientConfig }) => ({
        configuration: parsed.data.metadata.name,
        webhook: name,
        caBundle: Buffer.from(clientConfig.caBundle, 'base64').toString(),
      }));
    }),
  );
};

/** What the agents ask of the API; deploy/rbac.yaml grants exactly this. */
const AGENT_RIGHTS = [
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch'] },
  { group: '', resource: 'pods', subresource: 'status', verbs: ['patch'] },
  { group: 'k8s.cni.cncf.io', resource: 'network-attachment-definitions', verbs: ['get', 'list', 'watch'] },
  { group: '', resource: 'events', verbs: ['create', 'patch'] },
] as const;

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });

const reviewAgent = async (session: Session, namespace: string | undefined): Promise<readonly AccessFacts[]> => {
  if (namespace === undefined) return [];
  const account = `system:serviceaccount:${namespace}:dynamic-networks-agent`;
  const asked = AGENT_RIGHTS.flatMap(({ verbs, ...right }) => verbs.map((verb) => ({ verb, ...right })));
  return await Promise.all(
    asked.map(async (resourceAttributes) => {
      const review = await session.client.json({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: account, groups: ['system:serviceaccounts', 'system:authenticated'], resourceAttributes },
        },
        signal: session.signal,
      });
      const parsed = reviewSchema.safeParse(review);
      const suffix = 'subresource' in resourceAttributes ? `/${resourceAttributes.subresource}` : '';
      return {
        account,
        right: `${resourceAttributes.verb} ${resourceAttributes.resource}${suffix}`,
        isAllowed: parsed.success && parsed.data.status.allowed,
      };
    }),
  );
};

const poolSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    range: z._default(z.string(), ''),
    allocations: z._default(z.record(z.string(), z.object({ podref: z._default(z.string(), '') })), {}),
  }),
});

const readAllocations = async (session: Session): Promise<readonly WhereaboutsAllocation[] | undefined> => {
  const pools = await findObjects(session, WHEREABOUTS_POOLS);
  return pools?.flatMap((object) => {
    const parsed = poolSchema.safeParse(object);
    if (!parsed.success) return [];
    const { metadata, spec } = parsed.data;
    const pool = spec.range || metadata.name;
    return Object.entries(spec.allocations).map(([offset, { podref }]) => ({ pool, podRef: podref, offset }));
  });
};
