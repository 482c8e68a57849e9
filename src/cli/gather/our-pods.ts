// Our own pods, and what they say when they are asked through the API server: that takes the right to `pods/proxy`, and nothing
// of the nodes.
import * as z from 'zod/mini';
import { ApiError } from '../../kube/api-error.ts';
import { OUR_LABEL } from './installation.ts';
import { listObjects, type Reader } from './read-objects.ts';
import { objectPath, PODS } from './resources.ts';

export interface OurPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly component: string;
  readonly image: string;
  readonly isReady: boolean;
  /** Being deleted, or ended and kept for its log: whether there are enough without it is for the workload to say. */
  readonly isLeaving: boolean;
  /** Why it is not, as far as the kubelet says. */
  readonly why: string;
}

export const TELEMETRY_PORT = 9464;

const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

const state = z.optional(z.object({ waiting: z.optional(z.object({ reason: z.optional(z.string()) })) }));
const schema = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    labels: z._default(z.record(z.string(), z.string()), {}),
    deletionTimestamp: z.optional(z.string()),
  }),
  spec: z.object({
    nodeName: z._default(z.string(), ''),
    containers: z.array(z.object({ image: z._default(z.string(), '') })),
  }),
  status: z.optional(
    z.object({
      phase: z._default(z.string(), ''),
      conditions: z._default(z.array(z.object({ type: z.string(), status: z.string() })), []),
      containerStatuses: z._default(z.array(z.object({ state })), []),
    }),
  ),
});

export const listOurPods = async (reader: Reader, namespace: string): Promise<readonly OurPod[]> => {
  const objects = await listObjects(reader, PODS, { namespace, query: { labelSelector: OUR_LABEL } });
  return objects.flatMap((object) => {
    const parsed = schema.safeParse(object);
    if (!parsed.success) return [];
    const { metadata, spec, status } = parsed.data;
    const waiting = status?.containerStatuses.flatMap((each) => each.state?.waiting?.reason ?? []) ?? [];
    return [
      {
        namespace: metadata.namespace,
        name: metadata.name,
        node: spec.nodeName,
        component: metadata.labels['app.kubernetes.io/component'] ?? '',
        image: spec.containers[0]?.image ?? '',
        isReady: status?.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
        isLeaving: metadata.deletionTimestamp !== undefined || ENDED.has(status?.phase ?? ''),
        why: waiting[0] ?? status?.phase ?? '',
      },
    ];
  });
};

export type PodAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly statusCode: number | undefined; readonly text: string };

/** What the pod answers on its telemetry port. Never throws: that it cannot be asked is an answer too. */
export const askPod = async ({ client, signal }: ProxyReader, pod: OurPod, path: string): Promise<PodAnswer> => {
  const target = `${objectPath(PODS, { namespace: pod.namespace, name: `${pod.name}` })}:${TELEMETRY_PORT}/proxy${path}`;
  try {
    return { ok: true, text: await client.text({ method: 'GET', path: target, accept: '*/*', signal }) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError)
      return { ok: false, statusCode: error.statusCode, text: error.body || error.message };
    return { ok: false, statusCode: undefined, text: error instanceof Error ? error.message : String(error) };
  }
};

export interface ProxyReader extends Reader {
  readonly client: Reader['client'] & { text(request: Parameters<Reader['client']['json']>[0]): Promise<string> };
}

const ledgerSchema = z.array(
  z.object({
    namespace: z.string(),
    pod: z.string(),
    uid: z.string(),
    interface: z.string(),
    network: z.string(),
    state: z.string(),
    isOrphan: z.boolean(),
  }),
);

export type HeldInterface = z.infer<typeof ledgerSchema>[number];

const addressesSchema = z.object({
  reserved: z.number(),
  leaked: z.array(
    z.object({ network: z.string(), address: z.string(), containerId: z.string(), interface: z.string() }),
  ),
});

export type HostLocalAddresses = z.infer<typeof addressesSchema>;

/** What an agent's ledger holds; undefined when it cannot be asked, or is older than that page. */
export const askLedger = (reader: ProxyReader, agent: OurPod): Promise<readonly HeldInterface[] | undefined> =>
  askPage(reader, agent, '/ledger', ledgerSchema);

/** What host-local has given out on the agent's node, and to nobody; undefined as above. */
export const askAddresses = (reader: ProxyReader, agent: OurPod): Promise<HostLocalAddresses | undefined> =>
  askPage(reader, agent, '/addresses', addressesSchema);

const askPage = async <T>(
  reader: ProxyReader,
  agent: OurPod,
  path: string,
  schema: z.ZodMiniType<T>,
): Promise<T | undefined> => {
  const answer = await askPod(reader, agent, path);
  if (!answer.ok) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(answer.text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};
