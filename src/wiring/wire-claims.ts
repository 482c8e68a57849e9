// Persistent addresses: who needs which claims (virtual machines, StatefulSets), and which addresses they get.

import { makeAllocateNetwork } from '../controller/claims/allocate-network.ts';
import { type MachineParts, machineFacts } from '../controller/claims/machine-facts.ts';
import { PoolBook } from '../controller/claims/pool-book.ts';
import type { AllocatorDeps } from '../controller/claims/ports.ts';
import { makeReconcileClaims } from '../controller/claims/reconcile-claims.ts';
import { makeReportUnserved } from '../controller/claims/report-unserved.ts';
import type { Claim } from '../ipam/claim.ts';
import { podUser, vmUser } from '../ipam/claim.ts';
import type { Claimant } from '../ipam/plan-claims.ts';
import { readPodAddresses } from '../ipam/pod-addresses.ts';
import { claimsOfSet, OPT_IN_SELECTOR } from '../ipam/set-claims.ts';
import { claimsOfMachine } from '../ipam/vm-claims.ts';
import { listAll } from '../kube/list-all.ts';
import { ObjectIndex } from '../kube/object-index.ts';
import { PoolLocks } from '../kube/pool-locks.ts';
import { ipamClaims, placeOf, pods as podResource } from '../kube/resource.ts';
import type { ObjectView, WatchedObjects } from '../kube/watched-objects.ts';
import { createClaimMetrics } from '../telemetry/claim-metrics.ts';
import { LAUNCHER_SELECTOR } from '../vm/launcher-pod-view.ts';
import { makeClaimWrites } from './claim-writes.ts';
import type { Feature, FeatureContext } from './feature.ts';

export const wireClaims = (context: FeatureContext): Feature => {
  const { settings, client, writer, watched, recordEvent } = context;
  if (!settings.featureGates.has('VMPersistentIPs')) return { loops: [] };

  const claims = watched.claims();
  const machines = watched.machines();
  const instances = watched.instances();
  const launcherPods = watched.launcherPods();
  const sets = watched.statefulSets();
  const setPods = watched.optedInPods();
  const podsOfMachine = new ObjectIndex(launcherPods, ({ machine }) => [machine.key]);
  const podsOfSet = new ObjectIndex(setPods, ({ set }) => (set === undefined ? [] : [set]));
  const claimsOfOwner = new ObjectIndex(claims, (claim) => ownersOf(claim));

  const book: PoolBook = new PoolBook({
    onWork: (network) => allocation.add(network),
    onUnserved: ({ key }) => unserved.add(key),
    onNetworks: () => {
      for (const key of machineKeys()) machineClaims.add(key);
      for (const key of setKeys()) setClaims.add(key);
    },
    now: () => performance.now(),
  });
  const metrics = createClaimMetrics(context.registry, () =>
    [...book.pools].map(({ name, waiting, pool }) => ({ network: name, waiting, usage: pool.usage() })),
  );

  const write = makeClaimWrites(context);
  const allocator: AllocatorDeps = {
    locks: new PoolLocks({ client, writer, namespace: settings.podNamespace }),
    refreshClaims: async (signal) => {
      for await (const claim of listAll(client, ipamClaims, { signal })) claims.accept(claim);
    },
    refreshClaim: (key, signal) => claims.refresh(key, signal),
    refreshPods: async (where, signal) => {
      const list = (labelSelector: string) => listAll(client, podResource, { ...where, labelSelector, signal });
      for await (const pod of list(LAUNCHER_SELECTOR)) launcherPods.accept(pod);
      for await (const pod of list(OPT_IN_SELECTOR)) setPods.accept(pod);
    },
    writeStatus: write.status,
    recordEvent: (claim, event) => {
      const [owner] = claim.owners;
      const { namespace, name, uid, resourceVersion } = claim;
      if (owner !== undefined) recordEvent({ ...owner, namespace }, event);
      recordEvent(
        { apiVersion: 'k8s.cni.cncf.io/v1alpha1', kind: 'IPAMClaim', namespace, name, uid, resourceVersion },
        event,
      );
    },
    onAllocated: metrics.allocated,
    onRefused: metrics.refused,
  };

  const allocation = context.makeLoop('addresses', {
    keys: () => [...book.pools].map(({ name }) => name),
    reconcile: makeAllocateNetwork(allocator, (network) => book.find(network)),
  });
  const unserved = context.makeLoop('unservedClaims', {
    keys: () => claims.list().map(({ key }) => key),
    reconcile: makeReportUnserved({
      ...allocator,
      find: (key) => claims.find(key),
      findProblem: (claim) => book.findProblem(claim),
    }),
  });

  const machineKeys = () => new Set([...keysOf(machines), ...keysOf(instances), ...ownerKeys(claims.list(), 'VM')]);
  const partsOf = (key: string): MachineParts => ({
    ...namedOf(key),
    vm: machines.find(key),
    vmi: instances.find(key),
    pods: podsOfMachine.find(key),
  });
  const machineClaims = context.makeLoop('machineClaims', {
    keys: machineKeys,
    reconcile: makeReconcileClaims<MachineParts>({
      write,
      recordEvent,
      networks: () => book.table,
      find: partsOf,
      refresh: async (key, signal) => {
        const [vm, vmi] = await Promise.all([machines.refresh(key, signal), instances.refresh(key, signal)]);
        await allocator.refreshPods({ namespace: namedOf(key).namespace }, signal);
        return { ...partsOf(key), vm, vmi };
      },
      claimantOf: (parts, networks) => claimsOfMachine(machineFacts(parts), networks),
      claimsOf: (key, claimant) => withWanted(claimsOfOwner.find(`VM ${key}`), claimant),
    }),
  });

  const optedIn = () => sets.list().filter(({ hasOptedIn }) => hasOptedIn);
  const setKeys = () => new Set([...optedIn().map(({ key }) => key), ...ownerKeys(claims.list(), 'Set')]);
  const findSet = (key: string) => ({
    ...namedOf(key),
    set: sets.find(key),
    pods: podsOfSet
      .find(key)
      .filter(({ hasEnded }) => !hasEnded)
      .map((pod) => ({ name: pod.name, addresses: readPodAddresses(pod) })),
  });
  const setClaims = context.makeLoop('statefulSetClaims', {
    keys: setKeys,
    reconcile: makeReconcileClaims<ReturnType<typeof findSet>>({
      write,
      recordEvent,
      networks: () => book.table,
      find: findSet,
      refresh: async (key, signal) => {
        const set = await sets.refresh(key, signal);
        await allocator.refreshPods({ namespace: namedOf(key).namespace }, signal);
        return { ...findSet(key), set };
      },
      claimantOf: claimsOfSet,
      claimsOf: (key, claimant) => withWanted(claimsOfOwner.find(`Set ${key}`), claimant),
    }),
  });

  watched.networks().subscribe((key, network) => book.setNetwork(key, network));
  claims.subscribe((key, claim) => book.setClaim(key, claim));
  follow(claims, ownersOf, (owner) => {
    const [kind = '', key = ''] = owner.split(' ');
    if (kind === 'VM') machineClaims.add(key);
    else setClaims.add(key);
  });
  machines.subscribe((key) => machineClaims.add(key));
  instances.subscribe((key) => machineClaims.add(key));
  sets.subscribe((key) => setClaims.add(key));
  launcherPods.subscribe((key, pod) => {
    const isAlive = pod !== undefined && !pod.hasEnded;
    const addressed = isAlive && {
      user: vmUser(pod.namespace, namedOf(pod.machine.key).name),
      addresses: readPodAddresses(pod),
    };
    book.setPod(key, addressed || undefined);
  });
  follow(
    launcherPods,
    ({ machine }) => [machine.key],
    (key) => machineClaims.add(key),
  );
  setPods.subscribe((key, pod) => {
    const isAlive = pod !== undefined && !pod.hasEnded;
    book.setPod(
      key,
      isAlive ? { user: podUser(pod.namespace, pod.name), addresses: readPodAddresses(pod) } : undefined,
    );
  });
  follow(
    setPods,
    ({ set }) => (set === undefined ? [] : [set]),
    (key) => setClaims.add(key),
  );
  return { loops: [machineClaims, setClaims, allocation, unserved] };

  function withWanted(labelled: readonly Claim[], { namespace, wanted }: Claimant): readonly Claim[] {
    const named = wanted.flatMap(({ name }) => claims.find(`${namespace}/${name}`) ?? []);
    return [...new Map([...labelled, ...named].map((claim) => [claim.key, claim])).values()];
  }
};

const keysOf = (objects: { list(): readonly ObjectView[] }): readonly string[] => objects.list().map(({ key }) => key);

const namedOf = (key: string): { readonly namespace: string; readonly name: string } => {
  const { namespace = '', name } = placeOf(key);
  return { namespace, name };
};

/** Whom a claim is to be looked at with: the machine of its label, the StatefulSet that owns it. */
const ownersOf = ({ namespace, vm, owners }: Claim): readonly string[] => [
  ...(vm === undefined ? [] : [`VM ${namespace}/${vm}`]),
  ...owners.filter(({ kind }) => kind === 'StatefulSet').map(({ name }) => `Set ${namespace}/${name}`),
];

const ownerKeys = (claims: readonly Claim[], kind: 'VM' | 'Set'): readonly string[] =>
  claims.flatMap(ownersOf).flatMap((owner) => (owner.startsWith(`${kind} `) ? [owner.slice(kind.length + 1)] : []));

/** Calls back with whatever an object belongs to, and belonged to before. */
const follow = <T extends ObjectView>(
  objects: WatchedObjects<T>,
  ownersOf: (object: T) => readonly string[],
  onChange: (owner: string) => void,
): void => {
  const known = new Map<string, readonly string[]>();
  objects.subscribe((key, after) => {
    const now = after === undefined ? [] : ownersOf(after);
    for (const owner of new Set([...(known.get(key) ?? []), ...now])) onChange(owner);
    if (now.length === 0) known.delete(key);
    else known.set(key, now);
  });
};
