// Pods in every state that the planner can meet, for properties: what the annotation asks for, what network-status reports,
// what the ledger holds (also when the two disagree, as a crash leaves them), and what follows when a plan is carried out.
import fc from 'fast-check';
import type { AttachmentRecord, AttachmentState } from './attachment-record.ts';
import { type NetworkSelection, requestSignature, type SelectionAttributes } from './network-selection.ts';
import type { StatusEntry } from './network-status.ts';
import { observeAttachments } from './observe-attachments.ts';
import { type Plan, type PlanPolicy, planAttachments } from './plan-attachments.ts';
import { deepFreeze, defaultEntry, entry, network, policy, record, SRIOV } from './test-builders.ts';

export interface World {
  readonly desired: readonly NetworkSelection[];
  readonly reported: readonly StatusEntry[];
  readonly records: readonly AttachmentRecord[];
  readonly policy: PlanPolicy;
}

export const DEFAULT_NETWORKS: ReadonlySet<string> = new Set(['kube-system/everywhere']);

const NAMES = ['net1', 'net2', 'net3', 'net4', 'net10', 'data0', 'data1', 'pod16477688c0e'];
const networks = fc.constantFrom(network('blue'), network('red'), network('infra/green'), SRIOV);

const attributes: fc.Arbitrary<SelectionAttributes> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom(
    { ips: ['10.0.0.5/24'] },
    { ips: ['10.0.0.6/24'] },
    { mac: '02:00:00:00:00:01' },
    { cniArgs: { logicNetworkName: 'pl1' } },
    { deviceId: '0000:65:00.2' },
    { defaultRoute: ['10.0.0.1'] },
  ),
);

/** Some of the names, each at most once, in any order. */
const someNames = (max: number) => fc.shuffledSubarray(NAMES, { maxLength: max });

const desired: fc.Arbitrary<readonly NetworkSelection[]> = someNames(4).chain((names) =>
  fc.tuple(...names.map(() => fc.tuple(networks, attributes, fc.boolean()))).map((items) =>
    items.map(([wanted, requested, isNamed], index) => ({
      index,
      network: wanted,
      attributes: requested,
      ...(isNamed && names[index] !== undefined && { interface: names[index] }),
    })),
  ),
);

const reportedFields: fc.Arbitrary<Partial<StatusEntry>> = fc.constantFrom(
  {},
  { ips: ['10.0.0.5'] },
  { mac: '02:00:00:00:00:01' },
  { 'device-info': { type: 'pci' } },
);

const foreign: fc.Arbitrary<readonly StatusEntry[]> = fc
  .subarray([
    { name: 'kube-system/everywhere', interface: 'net7', dns: {} },
    { name: 'flannel', interface: 'net8', dns: {} },
    { name: 'shop/blue', dns: {} },
  ])
  .map((others) => [defaultEntry, ...others]);

/** One interface that the pod has: as Multus left it, or as the ledger and, mostly, the status tell of it. */
const attachment = (name: string) =>
  fc.record({
    name: fc.constant(name),
    network: networks,
    fields: reportedFields,
    requested: attributes,
    state: fc.constantFrom<AttachmentState | 'creation'>(
      'creation',
      'creation',
      'added',
      'added',
      'adding',
      'removing',
      'removed',
    ),
    isReported: fc.boolean(),
    staleNetwork: fc.option(networks, { nil: undefined }),
  });

export const worlds: fc.Arbitrary<World> = fc
  .record({
    desired,
    foreign,
    attachments: someNames(5).chain((names) => fc.tuple(...names.map(attachment))),
    isLauncherPod: fc.boolean(),
    deviceAttachments: fc.constantFrom<'keep' | 'manage'>('keep', 'manage'),
  })
  .map(({ desired: wanted, foreign: others, attachments, ...rest }) => {
    const reported = attachments.flatMap(({ name, network: held, fields, state, isReported, staleNetwork }) => {
      if (state === 'creation') return [entry(`${held}@${name}`, fields)];
      return isReported ? [entry(`${staleNetwork ?? held}@${name}`)] : [];
    });
    const records = attachments.flatMap(({ name, network: held, requested, state }) =>
      state === 'creation' ? [] : [record(`${held}@${name}`, { state, attributes: requested })],
    );
    return { desired: wanted, reported: [...others, ...reported], records, policy: policy(rest) };
  })
  .map(deepFreeze);

export const observe = ({ reported, records }: World) => observeAttachments(reported, records, DEFAULT_NETWORKS);

export const planOf = (world: World): Plan => planAttachments(world.desired, observe(world), world.policy);

/** The pod after every step of the plan succeeded and what was half-done before is cleaned up. */
export const carryOut = (world: World, plan: Plan): World => {
  const detached = new Set(plan.detach.map(({ target }) => target.interface));
  const left = observe(world).filter((target) => target.origin === 'foreign' || !detached.has(target.interface));
  const added = plan.attach.map(({ selection, interface: name }) =>
    record(`${selection.network}@${name}`, { attributes: selection.attributes }),
  );
  return deepFreeze({
    ...world,
    reported: [...left.flatMap((target) => target.entries), ...added.flatMap((each) => each.entries)],
    records: [...left.flatMap((target) => (target.origin === 'hotplug' ? [target.record] : [])), ...added],
  });
};

/** `shop/blue@net1` and the request, for each interface that is neither the default network's nor another stranger's. */
export const managedOf = (world: World): string[] =>
  observe(world)
    .flatMap((target) => {
      if (target.origin === 'foreign') return [];
      const request = target.origin === 'hotplug' ? target.record.request : 'creation';
      return [`${target.network}@${target.interface} ${request}`];
    })
    .sort();

/** The same, as the plan says that it will be. */
export const promisedBy = (plan: Plan): string[] =>
  [
    ...plan.keep.map(
      ({ target }) =>
        `${target.network}@${target.interface} ${target.origin === 'hotplug' ? target.record.request : 'creation'}`,
    ),
    ...plan.attach.map(
      ({ selection, interface: name }) => `${selection.network}@${name} ${requestSignature(selection.attributes)}`,
    ),
  ].sort();
