// Gates PodInterfaceName and DeviceMap, migrations, and schemas that have the fields of the design.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../embedded/api/object-store.ts';
import { masquerade, multus, podNetwork, specObject, sriov } from '../../vm/test-machines.ts';
import { DEFINITIONS, MACHINE_KINDS, MachineWorld, on } from './machine-world.ts';

const STATUS = 'k8s.v1.cni.cncf.io/network-status';
const [BLUE, RED, SR1] = ['pod16477688c0e', 'podb1f51a511f1', 'pod0b2a3687b87'] as const;

const editStatus = (
  world: MachineWorld,
  name: string,
  edit: (entries: Record<string, unknown>[]) => void,
  suffix = 'a',
) =>
  world.objects.modify({ resource: 'pods', ...world.pod(name, suffix) }, (draft) => {
    const entries: Record<string, unknown>[] = JSON.parse(draft.metadata.annotations?.[STATUS] ?? '[]');
    edit(entries);
    draft.metadata.annotations = { ...draft.metadata.annotations, [STATUS]: JSON.stringify(entries) };
  });

const migrate = (world: MachineWorld, name: string): KubeObject =>
  world.objects.create('virtualmachineinstancemigrations', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { namespace: 'default', name: `mig-${name}` },
    spec: { vmiName: name },
    status: { phase: 'Scheduling' },
  });

describe('with the gate PodInterfaceName alone', () => {
  let world: MachineWorld;
  beforeAll(async () => {
    world = await MachineWorld.start(['PodInterfaceName']);
    await world.world.cluster.addNode('node-b');
  });
  afterEach(() => world.clean());
  afterAll(() => world.stop());

  it('the primary interface has the name that the pod reports, eth0 if it reports none, and nothing else is touched', async () => {
    await world.run('named', on('blue'));
    const until = world.world.cluster.until;
    await until('eth0', () => world.interfaces('named')['default']?.['podInterfaceName'] === 'eth0');
    editStatus(world, 'named', ([first]) => Object.assign(first ?? {}, { interface: 'ens3' }));
    await until('ens3', () => world.interfaces('named')['default']?.['podInterfaceName'] === 'ens3');
    editStatus(world, 'named', ([first]) => delete first?.['default']);
    await until('eth0 again', () => world.interfaces('named')['default']?.['podInterfaceName'] === 'eth0');
    expect(Object.keys(world.interfaces('named'))).toEqual(['default']);
    world.setTemplate('named', on('blue', 'red'));
    editStatus(world, 'named', ([first]) => Object.assign(first ?? {}, { interface: 'ens4', default: true }));
    await until('ens4', () => world.interfaces('named')['default']?.['podInterfaceName'] === 'ens4');
    expect(world.asked('named')).toEqual([BLUE]);
    expect(world.vmi('named').spec?.['networks']).toHaveLength(2);
    expect(world.vmi('named').metadata.annotations?.['dynamic-networks.io/interfaces']).toBeUndefined();
  });

  it('a migration’s target pod and its primary interface are told', async () => {
    await world.run('moving', on());
    const mig = migrate(world, 'moving');
    await world.launch('moving', 'b', world.vmi('moving'), {
      nodeName: 'node-b',
      labels: { 'kubevirt.io/migrationJobUID': mig.metadata.uid },
    });
    world.editVmi('moving', (draft) => {
      draft.status = { ...draft.status, nodeName: 'node-a' };
    });
    editStatus(world, 'moving', ([first]) => Object.assign(first ?? {}, { interface: 'ens9' }), 'b');
    const text = '{"targetPod":"virt-launcher-moving-b","targetPodPrimaryInterfaceName":"ens9"}';
    await world.world.cluster.until(
      'it is told',
      () => world.vmi('moving').metadata.annotations?.['dynamic-networks.io/migration-target'] === text,
    );
    expect(world.interfaces('moving')['default']).toMatchObject({ podInterfaceName: 'eth0' });
  });
});

describe('with the gate HotplugNICs', () => {
  let world: MachineWorld;
  beforeAll(async () => {
    world = await MachineWorld.start(['HotplugNICs']);
    // A node without a kubelet of ours: target pods stay as they are made, so that what is written to them can be seen.
  });
  afterEach(() => world.clean());
  afterAll(() => world.stop());

  it.each([
    ['hashed', false, [BLUE, RED]],
    ['ordinal', true, ['net1', 'net2']],
  ])(
    'a migration’s target keeps the %s names of its source, and what was plugged meanwhile',
    async (kind, ordinal, expected) => {
      const name = `mig-${kind}`;
      await world.run(name, on('blue'), { ordinal });
      await world.plugged(name, 'blue');
      world.setTemplate(name, on('blue', 'red'));
      await world.plugged(name, 'blue', 'red');
      const mig = migrate(world, name);
      await world.launch(name, 'b', world.vmi(name), {
        nodeName: 'node-nowhere',
        labels: { 'kubevirt.io/migrationJobUID': mig.metadata.uid },
        podNetworks: undefined,
      });
      world.editVmi(name, (draft) => {
        draft.status = { ...draft.status, nodeName: 'node-a' };
      });
      await world.world.cluster.until(
        'the target asks',
        () => JSON.stringify(world.asked(name, 'b')) === JSON.stringify(expected),
      );
      expect(world.asked(name)).toEqual(expected);
      world.objects.remove({ resource: 'pods', ...world.pod(name, 'b') }, { gracePeriodSeconds: 0 });
    },
  );
});

describe('with the gate DeviceMap alone', () => {
  let world: MachineWorld;
  beforeAll(async () => {
    world = await MachineWorld.start(['DeviceMap']);
  });
  afterEach(() => world.clean());
  afterAll(() => world.stop());

  const device = (address: string) => ({ type: 'pci', version: '1.1.0', pci: { 'pci-address': address } });

  it('the pod has a map of its SR-IOV networks only, in both forms, and it follows network-status', async () => {
    await world.run(
      'sr',
      specObject(
        [podNetwork, multus('blue', 'blue'), multus('sr1', 'red')],
        [masquerade, { name: 'blue', bridge: {} }, sriov('sr1')],
      ),
    );
    await world.world.converged(world.pod('sr'), { [BLUE]: 'default/blue', [SR1]: 'default/red' });
    const setDevices = (address: string) =>
      editStatus(world, 'sr', (entries) => {
        for (const entry of entries) if (entry['interface'] !== 'eth0') entry['device-info'] = device(address);
      });
    const map = () => world.podAnnotation('sr', 'kubevirt.io/network-to-pci-address');
    setDevices('0000:65:00.2');
    await world.world.cluster.until('the map is there', () => map() === '{"sr1":"0000:65:00.2"}');
    expect(world.podAnnotation('sr', 'kubevirt.io/network-info')).toBe(
      '{"interfaces":[{"network":"sr1","deviceInfo":{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:65:00.2"}}}]}',
    );
    setDevices('0000:65:00.7');
    await world.world.cluster.until('the map follows', () => map() === '{"sr1":"0000:65:00.7"}');
    editStatus(world, 'sr', (entries) => {
      for (const entry of entries) delete entry['device-info'];
    });
    setDevices('0000:65:00.8');
    await world.world.cluster.until('the map follows again', () => map() === '{"sr1":"0000:65:00.8"}');
    expect(world.vmi('sr').status?.['interfaces']).toBeUndefined();
    expect(world.asked('sr')).toEqual([BLUE, SR1]);
  });
});

describe('a schema', () => {
  it('that comes after the controller has started is noticed', async () => {
    const world = await MachineWorld.start(['HotplugNICs'], { kinds: [] });
    try {
      for (const kind of MACHINE_KINDS) world.world.cluster.api.register(kind);
      await world.run('late', on('blue'));
      await world.plugged('late', 'blue');
    } finally {
      await world.stop();
    }
  }, 40_000);

  it('that has the fields of the design is served in them as well', async () => {
    const properties = (fields: object) => ({ type: 'object', properties: fields });
    const definition = (name: string, status: object) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        versions: [
          { name: 'v1', storage: true, schema: { openAPIV3Schema: properties({ status: properties(status) }) } },
        ],
      },
    });
    const flag = { type: 'boolean' };
    const kinds = [...MACHINE_KINDS, DEFINITIONS];
    const world = await MachineWorld.start(['HotplugNICs', 'PodInterfaceName'], { kinds, controller: false });
    try {
      world.objects.create(
        'customresourcedefinitions',
        definition('virtualmachineinstances.kubevirt.io', {
          interfaces: { type: 'array', items: properties({ ready: flag }) },
          migrationState: properties({ targetPodPrimaryInterfaceName: { type: 'string' } }),
        }),
      );
      world.objects.create(
        'customresourcedefinitions',
        definition('virtualmachines.kubevirt.io', { interfaceRequests: { type: 'array' } }),
      );
      await world.startController();
      await world.world.cluster.addNode('node-b');
      await world.run('full', on());
      world.objects.modify({ resource: 'virtualmachines', namespace: 'default', name: 'full' }, (draft) => {
        draft.status = {
          interfaceRequests: [{ addInterfaceOptions: { name: 'blue', networkAttachmentDefinitionName: 'blue' } }],
        };
      });
      await world.plugged('full', 'blue');
      const until = world.world.cluster.until;
      await until('ready is in the status', () => world.interfaces('full')['blue']?.['ready'] === true);
      await until(
        'the request is taken off',
        () => JSON.stringify(world.vm('full').status) === '{"interfaceRequests":[]}',
      );
      const mig = migrate(world, 'full');
      await world.launch('full', 'b', world.vmi('full'), {
        nodeName: 'node-b',
        labels: { 'kubevirt.io/migrationJobUID': mig.metadata.uid },
      });
      world.editVmi('full', (draft) => {
        draft.status = { ...draft.status, nodeName: 'node-a', migrationState: { targetPod: 'virt-launcher-full-b' } };
      });
      await until('the field is filled', () => {
        const state = world.vmi('full').status?.['migrationState'];
        return JSON.stringify(state) === '{"targetPod":"virt-launcher-full-b","targetPodPrimaryInterfaceName":"eth0"}';
      });
    } finally {
      await world.stop();
    }
  }, 40_000);
});
