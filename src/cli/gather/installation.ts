// What of us is installed in the cluster, by the labels that every way of installing it sets.
import * as z from 'zod/mini';
import { ApiError } from '../../kube/api-error.ts';
import { findObjects, type Reader } from './read-objects.ts';
import { DAEMON_SETS, DEPLOYMENTS, type Resource } from './resources.ts';

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly wanted: number;
  readonly ready: number;
}

export interface Installation {
  readonly agents: Workload | undefined;
  readonly controller: Workload | undefined;
}

export const OUR_LABEL = 'app.kubernetes.io/name=dynamic-networks';
export const DEFAULT_NAMESPACE = 'dynamic-networks';

const count = z._default(z.number(), 0);

const schema = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    labels: z._default(z.record(z.string(), z.string()), {}),
  }),
  spec: z.object({
    replicas: z.optional(z.number()),
    template: z.object({
      spec: z.object({
        containers: z.array(z.object({ image: z._default(z.string(), ''), args: z._default(z.array(z.string()), []) })),
      }),
    }),
  }),
  status: z._default(z.object({ desiredNumberScheduled: count, numberReady: count, readyReplicas: count }), {
    desiredNumberScheduled: 0,
    numberReady: 0,
    readyReplicas: 0,
  }),
});

export const findInstallation = async (reader: Reader): Promise<Installation> => {
  const [agents, controller] = await Promise.all([
    findWorkload(reader, DAEMON_SETS, 'agent'),
    findWorkload(reader, DEPLOYMENTS, 'controller'),
  ]);
  return { agents, controller };
};

const findWorkload = async (reader: Reader, resource: Resource, component: string): Promise<Workload | undefined> => {
  const query = { labelSelector: `${OUR_LABEL},app.kubernetes.io/component=${component}` };
  const objects = await listWhereAllowed(reader, resource, query);
  const [found] = objects.flatMap((object) => {
    const parsed = schema.safeParse(object);
    return parsed.success ? [parsed.data] : [];
  });
  if (found === undefined) return undefined;
  const { metadata, spec, status } = found;
  const [container] = spec.template.spec.containers;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    image: container?.image ?? '',
    args: container?.args ?? [],
    wanted: resource === DAEMON_SETS ? status.desiredNumberScheduled : (spec.replicas ?? 1),
    ready: resource === DAEMON_SETS ? status.numberReady : status.readyReplicas,
  };
};

/** All namespaces; for who may not, the one that it is installed to unless somebody changed that. */
const listWhereAllowed = async (
  reader: Reader,
  resource: Resource,
  query: Record<string, string>,
): Promise<readonly unknown[]> => {
  try {
    return (await findObjects(reader, resource, { query })) ?? [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 403) throw error;
    return (await findObjects(reader, resource, { query, namespace: DEFAULT_NAMESPACE })) ?? [];
  }
};

/** Whether a feature gate is on, by the controller's flags. Of two that name it, the later counts. */
export const hasGate = ({ controller }: Installation, gate: string): boolean => {
  const values = (controller?.args ?? [])
    .flatMap((arg) => /^--feature-gates=(.*)$/.exec(arg)?.[1]?.split(',') ?? [])
    .map((part) => part.trim().split('='))
    .filter(([name]) => name === gate);
  return values.at(-1)?.[1] === 'true';
};
