// Names of the cluster for the shell's completion.
import * as z from 'zod/mini';
import type { Wanted } from '../logic/complete.ts';
import { describePodNetworks } from '../logic/pod-networks.ts';
import type { Session } from '../session.ts';
import { getPod } from './cluster-pod.ts';
import { findObjects } from './read-objects.ts';
import { CLAIMS, NAMESPACES, NETWORKS, PODS, type Resource, VMS } from './resources.ts';

type FromCluster = Extract<Wanted, { readonly from: 'cluster' }>;

const RESOURCES: Readonly<Record<Exclude<FromCluster['kind'], 'interface'>, Resource>> = {
  pod: PODS,
  network: NETWORKS,
  vm: VMS,
  claim: CLAIMS,
  namespace: NAMESPACES,
};

const schema = z.object({ metadata: z.object({ name: z.string() }) });

export const namesFor = async (session: Session, { kind, pod = '' }: FromCluster): Promise<readonly string[]> => {
  if (kind === 'interface') {
    return describePodNetworks(await getPod(session, session.namespace, pod)).interfaces.map((item) => item.interface);
  }
  const namespace = kind === 'namespace' ? undefined : session.namespace;
  const objects = (await findObjects(session, RESOURCES[kind], { namespace })) ?? [];
  return objects.flatMap((object) => {
    const parsed = schema.safeParse(object);
    return parsed.success ? [parsed.data.metadata.name] : [];
  });
};
