import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../model/test-builders.ts';
import { type Claim, VM_FINALIZER } from './claim.ts';
import { type ClaimPlan, claimObject, planClaims } from './plan-claims.ts';
import { claimOf, nadOf, tableOf } from './test-claims.ts';
import { claimsOfMachine, type Machine, type MachineNetwork, type MachineObject } from './vm-claims.ts';

const networks = tableOf({
  'ns1/nad-blue': { name: 'blue', subnets: '10.0.0.0/24' },
  'other/nad-red': { name: 'red', subnets: '10.1.0.0/24' },
  'ns1/nad-off': { name: 'off', allowPersistentIPs: false },
  'ns1/nad-broken': { name: 'broken', subnets: '10.2.0.0/99' },
  'ns1/nad-garbled': '{',
  'udn/primary': { name: 'udn', role: 'primary' },
});

const net = (name: string, nad: string | undefined, isAbsent = false): MachineNetwork => ({
  name,
  nad: nad === undefined ? undefined : nadOf(nad),
  interface: nad === undefined ? 'eth0' : `pod-${name}`,
  isAbsent,
});
const podNet = net('default', undefined);
const blue = net('blue', 'ns1/nad-blue');
const red = net('red', 'other/nad-red');

const object = (uid: string, fields: Partial<MachineObject> = {}): MachineObject => ({
  uid,
  isDeleting: false,
  networks: [podNet, blue],
  addressesText: undefined,
  ...fields,
});
const running = (fields: Partial<MachineObject> = {}, reported: string[] = ['default', 'blue']) => ({
  ...object('vmi', fields),
  reported: new Set(reported),
});
const podWith = (...interfaces: string[]) => ({
  addresses: interfaces.map((iface) => ({ nad: nadOf('ns1/nad-blue'), interface: iface, ips: ['10.0.0.7'] })),
  references: new Set<string>(),
});

const machine = (fields: Partial<Machine>): Machine => ({
  namespace: 'ns1',
  name: 'vm-a',
  vm: undefined,
  vmi: undefined,
  isUnreadable: false,
  pods: [],
  ...fields,
});

const ownedBy = (kind: string, uid: string) => [{ apiVersion: 'kubevirt.io/v1', kind, name: 'vm-a', uid }];
const own = (name: string, fields: Partial<Claim> = {}): Claim =>
  claimOf(name, {
    vm: 'vm-a',
    owners: ownedBy('VirtualMachine', 'vm'),
    nad: nadOf('ns1/nad-blue'),
    interface: 'pod-blue',
    ...fields,
  });

const plan = (facts: Partial<Machine>, claims: readonly Claim[] = []): ClaimPlan =>
  planClaims(claimsOfMachine(deepFreeze(machine(facts)), networks), claims);

const summary = ({ create, protect, remove, release, notices }: ClaimPlan) =>
  Object.fromEntries(
    Object.entries({
      create: create.map(({ name }) => name),
      protect: protect.map(({ name }) => name),
      remove: remove.map(({ name }) => name),
      release: release.map(({ name }) => name),
      notices: notices.map(({ reason }) => reason),
    }).filter(([, list]) => list.length > 0),
  );

describe('claims of a virtual machine', () => {
  it.each<[string, Partial<Machine>, Claim[], object]>([
    [
      'VM defined and stopped: its addresses are there before it starts',
      { vm: object('vm') },
      [],
      { create: ['vm-a.blue'] },
    ],
    ['VM running', { vm: object('vm'), vmi: running() }, [], { create: ['vm-a.blue'] }],
    ['VMI without a VM', { vmi: running() }, [], { create: ['vm-a.blue'] }],
    ['its claim is there', { vm: object('vm'), vmi: running(), pods: [podWith('pod-blue')] }, [own('vm-a.blue')], {}],
    ['stopped: the claim stays, finalizer and all', { vm: object('vm') }, [own('vm-a.blue')], {}],
    [
      'a network plugged into the running VMI',
      { vm: object('vm'), vmi: running({ networks: [podNet, blue, red] }) },
      [own('vm-a.blue')],
      { create: ['vm-a.red'] },
    ],
    [
      'two networks of one definition: a claim for each',
      { vm: object('vm', { networks: [blue, net('b2', 'ns1/nad-blue')] }) },
      [],
      { create: ['vm-a.blue', 'vm-a.b2'] },
    ],
    [
      'a network whose definition does not allow it',
      { vm: object('vm', { networks: [net('off', 'ns1/nad-off')] }) },
      [],
      {},
    ],
    [
      'a definition with broken subnets: the claim is made, and says what is wrong',
      { vm: object('vm', { networks: [net('br', 'ns1/nad-broken')] }) },
      [],
      { create: ['vm-a.br'] },
    ],
    [
      'an absent interface that never had a claim',
      { vm: object('vm', { networks: [net('blue', 'ns1/nad-blue', true)] }) },
      [],
      {},
    ],
    ['VM on its way out: nothing new', { vm: object('vm', { isDeleting: true }), vmi: running() }, [], {}],
    ['VMI on its way out, no VM: nothing new', { vmi: running({ isDeleting: true }) }, [], {}],
    ['nothing left of the machine', {}, [], {}],
  ])('%s', (_, facts, claims, expected) => {
    expect(summary(plan(facts, claims))).toEqual(expected);
  });

  it.each<[string, Partial<Machine>, Claim, object]>([
    [
      'set absent, guest still has it',
      { vm: object('vm', { networks: [net('blue', 'ns1/nad-blue', true)] }), vmi: running() },
      own('vm-a.blue'),
      {},
    ],
    [
      'gone from the specs, still in the status',
      { vm: object('vm', { networks: [podNet] }), vmi: running({ networks: [podNet] }) },
      own('vm-a.blue'),
      {},
    ],
    [
      'gone from specs and status, still in the pod',
      { vm: object('vm', { networks: [] }), vmi: running({ networks: [] }, []), pods: [podWith('pod-blue')] },
      own('vm-a.blue'),
      {},
    ],
    [
      'gone from VMI and pod, still in the template',
      { vm: object('vm'), vmi: running({ networks: [] }, []) },
      own('vm-a.blue'),
      {},
    ],
    [
      'gone everywhere',
      { vm: object('vm', { networks: [] }), vmi: running({ networks: [] }, []), pods: [podWith('pod-red')] },
      own('vm-a.blue'),
      { remove: ['vm-a.blue'] },
    ],
    [
      'gone everywhere, deleted half-way before a crash',
      { vm: object('vm', { networks: [] }) },
      own('vm-a.blue', { isDeleting: true }),
      { remove: ['vm-a.blue'] },
    ],
    [
      'taken out of the template of a stopped VM',
      { vm: object('vm', { networks: [] }) },
      own('vm-a.blue'),
      { remove: ['vm-a.blue'] },
    ],
    [
      "gone everywhere, but another's claim",
      { vm: object('vm', { networks: [] }) },
      own('vm-a.blue', { owners: [] }),
      {},
    ],
    ['lists that cannot be read', { vm: object('vm', { networks: [] }), isUnreadable: true }, own('vm-a.blue'), {}],
  ])('hot-unplug: %s', (_, facts, claim, expected) => {
    expect(summary(plan(facts, [claim]))).toEqual(expected);
  });

  it.each<[string, Partial<Machine>, Claim, object]>([
    [
      'VM deleting, VMI there',
      { vm: object('vm', { isDeleting: true }), vmi: running() },
      own('vm-a.blue', { isDeleting: true }),
      {},
    ],
    [
      'VM deleting, VMI gone, pod still ending',
      { vm: object('vm', { isDeleting: true }), pods: [podWith()] },
      own('vm-a.blue'),
      {},
    ],
    [
      'VM deleting, VMI and pods gone',
      { vm: object('vm', { isDeleting: true }) },
      own('vm-a.blue'),
      { release: ['vm-a.blue'] },
    ],
    ['VM gone, VMI orphaned and running', { vmi: running() }, own('vm-a.blue', { isDeleting: true }), {}],
    ['VM and VMI gone', {}, own('vm-a.blue', { isDeleting: true }), { release: ['vm-a.blue'] }],
    [
      'VM and VMI gone, a pod still has the interface',
      { pods: [podWith('pod-blue')] },
      own('vm-a.blue', { isDeleting: true }),
      {},
    ],
    [
      'VMI alone, deleting, pod still there',
      { vmi: running({ isDeleting: true }), pods: [podWith('pod-blue')] },
      own('vm-a.blue', { owners: ownedBy('VirtualMachineInstance', 'vmi') }),
      {},
    ],
    [
      'VMI alone, deleting, pods gone',
      { vmi: running({ isDeleting: true }) },
      own('vm-a.blue', { owners: ownedBy('VirtualMachineInstance', 'vmi') }),
      { release: ['vm-a.blue'] },
    ],
    [
      "a new VM of the same name: its predecessor's claim goes first",
      { vm: object('vm2') },
      own('vm-a.blue', { isDeleting: true }),
      { release: ['vm-a.blue'] },
    ],
    ['no finalizer left to drop', {}, own('vm-a.blue', { finalizers: [] }), {}],
  ])('finalizer: %s', (_, facts, claim, expected) => {
    expect(summary(plan(facts, [claim]))).toEqual(expected);
  });

  it.each<[string, Partial<Claim>]>([
    ['nobody', { owners: [] }],
    ['another machine', { owners: ownedBy('VirtualMachine', 'somebody').map((owner) => ({ ...owner, name: 'vm-b' })) }],
    ['two, of which one is ours', { owners: [...ownedBy('VirtualMachine', 'vm'), ...ownedBy('Pod', 'p')] }],
  ])('a claim of the same name that belongs to %s is refused, and never touched', (_, fields) => {
    expect(summary(plan({ vm: object('vm'), vmi: running() }, [own('vm-a.blue', fields)]))).toEqual({
      notices: ['ClaimRefused'],
    });
  });

  it('a claim deleted under a running machine is told, and keeps its finalizer', () => {
    const claims = [own('vm-a.blue', { isDeleting: true })];
    expect(summary(plan({ vm: object('vm'), vmi: running() }, claims))).toEqual({ notices: ['ClaimDeleted'] });
  });

  it('a claim that lost its finalizer gets it back', () => {
    expect(summary(plan({ vm: object('vm') }, [own('vm-a.blue', { finalizers: [] })]))).toEqual({
      protect: ['vm-a.blue'],
    });
  });

  it.each<[string, Partial<Machine>, object]>([
    ['waits while a pod is on the old network', { pods: [podWith('pod-blue')] }, { notices: ['NetworkChanged'] }],
    ['is replaced when none is', {}, { remove: ['vm-a.blue'] }],
  ])('a claim whose network was exchanged %s', (_, facts, expected) => {
    const vm = object('vm', { networks: [net('blue', 'other/nad-red')] });
    expect(summary(plan({ vm, ...facts }, [own('vm-a.blue')]))).toEqual(expected);
  });

  it('made for the pod network where the namespace has a primary network of its own', () => {
    const claimant = claimsOfMachine(machine({ namespace: 'udn', vm: object('vm', { networks: [podNet] }) }), networks);
    expect(claimant.wanted).toEqual([
      {
        name: 'vm-a.default',
        network: 'udn',
        nad: 'udn/primary',
        interface: '',
        requested: [],
        labels: { 'kubevirt.io/vm': 'vm-a' },
      },
    ]);
  });

  it.each([
    [
      'does not exist',
      net('x', 'ns1/nad-x'),
      'NetworkNotFound',
      'network x: NetworkAttachmentDefinition ns1/nad-x does not exist',
    ],
    [
      'cannot be read',
      net('g', 'ns1/nad-garbled'),
      'InvalidNetwork',
      'network g: the config of NetworkAttachmentDefinition ns1/nad-garbled',
    ],
  ])('tells of a definition that %s', (_, network, reason, message) => {
    const { problems } = claimsOfMachine(machine({ vm: object('vm', { networks: [network] }) }), networks);
    expect(problems).toEqual([{ reason, message: expect.stringContaining(message) }]);
  });

  it('looks like the claims of the published controller', () => {
    const claimant = claimsOfMachine(machine({ vm: object('vm') }), networks);
    const [wanted] = claimant.wanted;
    if (wanted === undefined || claimant.owner === undefined) throw new Error('nothing wanted');
    expect(claimObject(wanted, claimant, claimant.owner)).toEqual({
      metadata: {
        name: 'vm-a.blue',
        labels: { 'kubevirt.io/vm': 'vm-a' },
        annotations: { 'dynamic-networks.io/network': 'ns1/nad-blue' },
        finalizers: [VM_FINALIZER],
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachine',
            name: 'vm-a',
            uid: 'vm',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { network: 'blue', interface: 'pod-blue' },
    });
  });

  describe('asks for', () => {
    const requested = (facts: Partial<Machine>) => claimsOfMachine(machine(facts), networks).wanted[0]?.requested;
    const asking = { addressesText: '{"blue":["10.0.0.9","fd00::9"]}' };
    it.each<[string, Partial<Machine>, string[]]>([
      ['nothing in particular', { vm: object('vm') }, []],
      ['what the annotation says', { vmi: running(asking) }, ['10.0.0.9', 'fd00::9']],
      ["what the template's annotation says", { vm: object('vm', asking) }, ['10.0.0.9', 'fd00::9']],
      [
        'what its running pod has, when a claim was lost',
        { vm: object('vm'), pods: [podWith('pod-red', 'pod-blue')] },
        ['10.0.0.7'],
      ],
      ['the garbled annotation itself, to be refused with it', { vm: object('vm', { addressesText: '{' }) }, ['{']],
    ])('%s', (_, facts, expected) => {
      expect(requested(facts)).toEqual(expected);
    });
  });
});
