import { describe, expect, it } from 'vitest';
import { type Claim, POD_FINALIZER } from './claim.ts';
import { claimObject, planClaims } from './plan-claims.ts';
import { claimsOfSet, type PodSet, type SetPod } from './set-claims.ts';
import { claimOf, nadOf, tableOf } from './test-claims.ts';

const networks = tableOf({
  'ns1/nad-blue': { name: 'blue', subnets: '10.0.0.0/24' },
  'ns1/nad-off': { name: 'off', allowPersistentIPs: false },
});

const set = (fields: Partial<PodSet> = {}): PodSet => ({
  namespace: 'ns1',
  name: 'web',
  uid: 'set',
  isDeleting: false,
  replicas: 2,
  firstOrdinal: 0,
  networksText: 'nad-blue@blue0, nad-off',
  ...fields,
});
const own = (name: string, pod: string, fields: Partial<Claim> = {}): Claim =>
  claimOf(name, {
    pod,
    owners: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set' }],
    finalizers: [POD_FINALIZER],
    nad: nadOf('ns1/nad-blue'),
    interface: 'blue0',
    ...fields,
  });
const pod = (name: string, iface: string | undefined = 'blue0'): SetPod => ({
  name,
  addresses: [{ nad: nadOf('ns1/nad-blue'), interface: iface, ips: ['10.0.0.7'] }],
});
const both = [own('web-0.blue0', 'web-0'), own('web-1.blue0', 'web-1')];

const claimant = (the: PodSet | undefined, pods: readonly SetPod[] = []) =>
  claimsOfSet({ namespace: 'ns1', name: 'web', set: the, pods }, networks);
const plan = (the: PodSet | undefined, claims: readonly Claim[], pods: readonly SetPod[] = []) => {
  const { create, protect, remove, release } = planClaims(claimant(the, pods), claims);
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  return { create: names(create), protect: names(protect), remove: names(remove), release: names(release) };
};
const nothing = { create: [], protect: [], remove: [], release: [] };

describe('claims of a StatefulSet', () => {
  it.each<[string, PodSet | undefined, Claim[], SetPod[], object]>([
    [
      'are made for every pod that it may have, and only where the network allows it',
      set(),
      [],
      [],
      { create: ['web-0.blue0', 'web-1.blue0'] },
    ],
    ['count from where its pods do', set({ firstOrdinal: 5, replicas: 1 }), [], [], { create: ['web-5.blue0'] }],
    [
      'call an unnamed interface as Multus does',
      set({ replicas: 1, networksText: 'nad-off,nad-blue' }),
      [],
      [],
      { create: ['web-0.net2'] },
    ],
    ['are there: nothing to do', set(), both, [pod('web-0')], {}],
    [
      'of a pod that was scaled away stay, without protection',
      set({ replicas: 1 }),
      both,
      [pod('web-0')],
      { release: ['web-1.blue0'] },
    ],
    ['of a pod that is still ending stay protected', set({ replicas: 1 }), both, [pod('web-0'), pod('web-1')], {}],
    [
      'of a pod that came back are protected again',
      set(),
      [own('web-0.blue0', 'web-0', { finalizers: [] })],
      [],
      { create: ['web-1.blue0'], protect: ['web-0.blue0'] },
    ],
    [
      'go when the template loses the network and the pods it',
      set({ networksText: '' }),
      both,
      [pod('web-0'), pod('web-1', 'red0')],
      { remove: ['web-1.blue0'] },
    ],
    ['stay when the annotation cannot be read', set({ networksText: '[{' }), both, [], {}],
    ['are released with the set, pod by pod', undefined, both, [pod('web-1')], { release: ['web-0.blue0'] }],
    [
      'are released while the set is on its way out',
      set({ isDeleting: true }),
      both,
      [],
      { release: ['web-0.blue0', 'web-1.blue0'] },
    ],
  ])('%s', (_, the, claims, pods, expected) => {
    expect(plan(the, claims, pods)).toEqual({ ...nothing, ...expected });
  });

  it('belong to the set and carry the name of the pod', () => {
    const { wanted, owner } = claimant(set({ replicas: 1 }));
    const [first] = wanted;
    if (first === undefined || owner === undefined) throw new Error('nothing wanted');
    expect(claimObject(first, { finalizer: POD_FINALIZER }, owner)).toMatchObject({
      metadata: {
        name: 'web-0.blue0',
        labels: { 'dynamic-networks.io/pod': 'web-0' },
        finalizers: ['dynamic-networks.io/persistent-ips'],
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set' }],
      },
    });
  });

  it('ask for what the template asks for, else for what the running pod has', () => {
    const asking = set({ replicas: 1, networksText: '[{"name":"nad-blue","interface":"blue0","ips":["10.0.0.9"]}]' });
    expect(claimant(asking, [pod('web-0')]).wanted[0]?.requested).toEqual(['10.0.0.9']);
    expect(claimant(set(), [pod('web-1')]).wanted.map(({ requested }) => requested)).toEqual([[], ['10.0.0.7']]);
  });

  it('tell of a definition that does not exist', () => {
    expect(claimant(set({ networksText: 'nad-x' })).problems).toEqual([
      { reason: 'NetworkNotFound', message: 'NetworkAttachmentDefinition ns1/nad-x does not exist; create it' },
    ]);
  });
});
