import { describe, expect, it } from 'vitest';
import { viewBindingPlugins } from './binding-plugins.ts';
import { findCurrentPod, type LauncherPod, viewLauncherPod } from './launcher-pod-view.ts';
import { findTargetPod, type Migration, viewMigration } from './migration-view.ts';
import { parseNetworkSpec } from './network-spec.ts';
import { bridge, masquerade, multus, podNetwork, specObject } from './test-machines.ts';
import { viewVm } from './vm-view.ts';
import { viewVmi } from './vmi-view.ts';

const metadata = { namespace: 'ns1', name: 'vm-a', uid: 'u-1', resourceVersion: '7' };
const owner = { kind: 'VirtualMachineInstance', name: 'vm-a', uid: 'u-1', controller: true };

const podObject = (more: { metadata?: object; spec?: object; status?: object } = {}) => ({
  metadata: {
    ...metadata,
    name: 'virt-launcher-vm-a-x',
    uid: 'p-1',
    ownerReferences: [owner],
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...more.metadata,
  },
  spec: { nodeName: 'node-a', ...more.spec },
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'compute', state: { running: {} }, ready: false }],
    ...more.status,
  },
});
const pod = (more: Parameters<typeof podObject>[0] = {}): LauncherPod => {
  const view = viewLauncherPod(podObject(more));
  if (view === undefined) throw new Error('no launcher pod');
  return view;
};

describe('networks and interfaces of a spec', () => {
  it('are read with what they were read from', () => {
    const raw = specObject(
      [podNetwork, multus('blue')],
      [masquerade, bridge('blue', { macAddress: '02:00:00:00:00:01', state: 'absent' })],
    );
    const parsed = parseNetworkSpec(raw);
    expect(parsed.problems).toEqual([]);
    expect(parsed.networks).toMatchObject([
      { name: 'default', isSecondary: false },
      { name: 'blue', definition: 'nad-blue', isSecondary: true },
    ]);
    expect(parsed.interfaces[1]).toMatchObject({ binding: 'bridge', isAbsent: true, mac: '02:00:00:00:00:01' });
    expect(parsed.raw).toEqual({ networks: raw.networks, interfaces: raw.domain.devices.interfaces });
  });

  it.each([
    ['there is no spec', undefined],
    ['the spec is a text', 'spec'],
    ['the lists are missing', {}],
    ['the lists are null', { networks: null, domain: { devices: { interfaces: null } } }],
    ['the domain is a number', { domain: 7 }],
  ])('are none when %s', (_situation, spec) => {
    expect(parseNetworkSpec(spec)).toMatchObject({ networks: [], interfaces: [], problems: [] });
  });

  it.each([
    [
      'two networks have one name',
      { networks: [multus('blue', 'a'), multus('blue', 'b')] },
      /networks has the name "blue" twice; give each its own/,
    ],
    ['two interfaces have one name', specObject([], [bridge('x'), bridge('x')]), /interfaces has the name "x" twice/],
    ['a network has no name', { networks: [{ pod: {} }] }, /no name at \[0\]/],
    ['a network has an empty name', { networks: [{ name: '' }] }, /no name/],
    ['a network is null', { networks: [podNetwork, null] }, /no name at \[1\]: null/],
    ['the networks are an object', { networks: { blue: {} } }, /networks is no list/],
    ['the interfaces are a text', { domain: { devices: { interfaces: 'all' } } }, /interfaces is no list: "all"/],
  ])('have a problem, with the remedy, when %s', (_situation, spec, message) => {
    const { problems } = parseNetworkSpec(spec);
    expect(problems).toMatchObject([{ reason: 'InvalidInterfaces', message: expect.stringMatching(message) }]);
  });
});

describe('a machine', () => {
  it('is read with its template and its requests', () => {
    const vm = viewVm({
      metadata: { ...metadata, annotations: { 'dynamic-networks.io/interface-requests': '[]' } },
      spec: { template: { spec: specObject([podNetwork], [masquerade]) } },
      status: { interfaceRequests: [{}] },
    });
    expect(vm).toMatchObject({
      key: 'ns1/vm-a',
      requestsText: '[]',
      statusRequests: [{}],
      hasAnnotations: true,
      isDeleting: false,
    });
    expect(vm?.template.networks).toHaveLength(1);
  });

  it('that runs is read with its status, and a status written half-way is said to be unreadable', () => {
    const vmi = viewVmi({
      metadata,
      spec: specObject([], []),
      status: { phase: 'Running', nodeName: 'n', interfaces: [{ name: 'a' }, {}] },
    });
    expect(vmi).toMatchObject({ phase: 'Running', nodeName: 'n', hasAnnotations: false, migration: undefined });
    expect(vmi?.status.entries.map(({ name }) => name)).toEqual(['a', '']);
    for (const interfaces of ['x', { a: 1 }, [1], [null], [[]]]) {
      expect(viewVmi({ metadata, status: { interfaces } })?.status).toMatchObject({
        entries: [],
        raw: interfaces,
        problem: { reason: 'StatusUnreadable' },
      });
    }
  });

  it('tells of the migration that it is in', () => {
    const status = { migrationState: { sourcePod: 'a', targetPod: 'b', targetPodPrimaryInterfaceName: 'ens3' } };
    expect(viewVmi({ metadata, status })?.migration).toEqual({
      sourcePod: 'a',
      targetPod: 'b',
      targetPrimaryName: 'ens3',
    });
  });

  it.each([undefined, null, 'x', {}, { metadata: {} }, { metadata: { ...metadata, uid: 7 } }])(
    '%j is none',
    (object) => {
      expect([viewVm(object), viewVmi(object), viewLauncherPod(object), viewMigration(object)]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    },
  );
});

describe('a launcher pod', () => {
  it.each([
    ['its machine’s container runs, though it is not ready', {}, true],
    [
      'a mesh’s proxy runs without being ready',
      { status: { containerStatuses: [{ name: 'istio-proxy', state: { running: {} }, ready: false }] } },
      true,
    ],
    [
      'its machine’s container waits',
      { status: { containerStatuses: [{ name: 'compute', state: { waiting: {} } }] } },
      false,
    ],
    [
      'a container beside is not ready',
      { status: { containerStatuses: [{ name: 'guest-console-log', state: { running: {} }, ready: false }] } },
      false,
    ],
    ['it is pending', { status: { phase: 'Pending' } }, false],
    ['it is being deleted', { metadata: { deletionTimestamp: 'now' } }, false],
  ])('is ready or not when %s', (_situation, more, expected) => {
    expect(pod(more).isReady).toBe(expected);
  });

  it('without annotations is read as one that asks for nothing and reports nothing', () => {
    expect(pod()).toMatchObject({ hasAnnotations: false, networksText: undefined, networkStatus: { state: 'absent' } });
  });

  it.each([[[]], [[{ ...owner, controller: false }]], [[{ ...owner, kind: 'ReplicaSet' }]], ['odd'], [[null]]])(
    'owned by %j is none',
    (ownerReferences) => {
      expect(viewLauncherPod(podObject({ metadata: { ownerReferences } }))).toBeUndefined();
    },
  );
});

describe('the pod that a machine runs in', () => {
  const old = pod({ metadata: { name: 'old', uid: 'p-0', creationTimestamp: '2025-01-01T00:00:00Z' } });
  const target = pod({
    metadata: {
      name: 'target',
      uid: 'p-2',
      creationTimestamp: '2027-01-01T00:00:00Z',
      labels: { 'kubevirt.io/migrationJobUID': 'm-1' },
    },
    spec: { nodeName: 'node-b' },
  });
  const stranger = pod({
    metadata: {
      name: 'stranger',
      uid: 'p-3',
      creationTimestamp: '2028-01-01T00:00:00Z',
      ownerReferences: [{ ...owner, uid: 'u-0' }],
    },
  });
  const pods = [old, target, stranger, pod()];

  it.each([
    ['on its node', 'node-a', 'virt-launcher-vm-a-x'],
    ['after it moved', 'node-b', 'target'],
    ['before it has a node', undefined, 'target'],
    ['on a node without one', 'node-c', undefined],
  ])('is its newest %s', (_situation, nodeName, expected) => {
    expect(findCurrentPod({ uid: 'u-1', nodeName }, pods)?.name).toBe(expected);
  });

  const migration = (phase: string): Migration[] => {
    const view = viewMigration({
      metadata: { ...metadata, name: 'mig', uid: 'm-1' },
      spec: { vmiName: 'vm-a' },
      status: { phase },
    });
    return view === undefined ? [] : [view];
  };

  it('and the one it migrates to, while the migration is under way', () => {
    expect(migration('Running')).toMatchObject([{ machine: 'ns1/vm-a', isOver: false }]);
    expect(findTargetPod(pods, migration('Scheduling'), old)?.name).toBe('target');
    expect(findTargetPod(pods, migration('Scheduling'), target)).toBeUndefined();
    expect(findTargetPod(pods, migration('Succeeded'), old)).toBeUndefined();
    expect(findTargetPod(pods, [], old)).toBeUndefined();
  });
});

describe('binding plugins', () => {
  it('are those that the KubeVirt resource registers', () => {
    const binding = { a: { networkAttachmentDefinition: 'x/y', downwardAPI: 'device-info' }, b: {}, c: 'odd' };
    expect([...viewBindingPlugins({ spec: { configuration: { network: { binding } } } })]).toEqual([
      ['a', { definition: 'x/y', needsDeviceInfo: true }],
      ['b', { definition: undefined, needsDeviceInfo: false }],
    ]);
    expect(viewBindingPlugins(undefined).size).toBe(0);
  });
});
