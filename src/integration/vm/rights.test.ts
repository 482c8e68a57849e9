// Each gate's rights against what its controller asks the API server for: enough, and nothing that is never used.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadAllYaml, loadYaml } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { gateNames } from '../../config/feature-gates.ts';
import { masquerade, multus, podNetwork, specObject, sriov } from '../../vm/test-machines.ts';
import { NODE_NETWORK_CONFIGURATION } from '../../wiring/wire-admission.ts';
import { DEFINITIONS, MACHINE_KINDS, MachineWorld, on } from './machine-world.ts';

const gates = {
  HotplugNICs: 'hotplug-nics',
  PodInterfaceName: 'pod-interface-name',
  DeviceMap: 'device-map',
  NodeNetwork: 'node-network',
} as const;
const folder = resolve(import.meta.dirname, '../../../deploy/gates');

const role = z.object({
  metadata: z.object({ name: z.string() }),
  rules: z.array(
    z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
  ),
});

const granted = (directory: string): string[] => {
  const [first] = loadAllYaml(readFileSync(`${folder}/${directory}/rbac.yaml`, 'utf8'));
  return role
    .parse(first)
    .rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    )
    .sort();
};

/** A story in which everything happens that a gate can do. */
const live = async (world: MachineWorld): Promise<void> => {
  const until = world.world.cluster.until;
  await world.run('vm', specObject([podNetwork, multus('sr1', 'blue')], [masquerade, sriov('sr1')]));
  world.objects.modify({ resource: 'pods', ...world.pod('vm') }, (draft) => {
    const key = 'k8s.v1.cni.cncf.io/network-status';
    const entries: { interface: string }[] = JSON.parse(draft.metadata.annotations?.[key] ?? '[]');
    const device = { type: 'pci', pci: { 'pci-address': '0000:65:00.2' } };
    const changed = entries.map((entry) => (entry.interface === 'eth0' ? entry : { ...entry, 'device-info': device }));
    draft.metadata.annotations = { ...draft.metadata.annotations, [key]: JSON.stringify(changed) };
  });
  world.objects.modify({ resource: 'virtualmachines', namespace: 'default', name: 'vm' }, (draft) => {
    draft.metadata.annotations = {
      'dynamic-networks.io/interface-requests': '[1]',
      'dynamic-networks.io/networks': '[{"name":"lan","nodeNetwork":{}}]',
    };
    draft.status = { interfaceRequests: [2] };
  });
  await until('something was done', () => {
    const annotations = {
      ...world.vmi('vm').metadata.annotations,
      ...world.world.cluster.pod(world.pod('vm')).metadata.annotations,
    };
    const networks = annotations['k8s.v1.cni.cncf.io/networks'] ?? '';
    return (
      world.vmi('vm').status?.['interfaces'] !== undefined ||
      'kubevirt.io/network-info' in annotations ||
      networks.includes('node-network')
    );
  });
  world.setTemplate('vm', on('red'));
};

describe('the rights of the gate', () => {
  it.each(Object.entries(gates))('%s are what its controller asks for', async (gate, directory) => {
    const world = await MachineWorld.start([gate], { agent: false, kinds: [...MACHINE_KINDS, DEFINITIONS] });
    try {
      await live(world);
      if (gate === 'HotplugNICs') {
        await world.world.cluster.until(
          'requests are taken off',
          () => JSON.stringify(world.vm('vm').status) === '{"interfaceRequests":[]}',
        );
        await world.world.cluster.until('the pod asks', () => world.asked('vm').includes('podb1f51a511f1'));
        world.annotateVm('vm', 'dynamic-networks.io/interface-requests', '[{"removeInterfaceOptions":{"name":"x"}}]');
        world.objects.remove({ resource: 'virtualmachineinstances', namespace: 'default', name: 'vm' });
        world.annotateVm('vm', 'dynamic-networks.io/interface-requests', '[{"removeInterfaceOptions":{"name":"y"}}]');
        await world.world.cluster.until(
          'taken off again',
          () => world.vm('vm').metadata.annotations?.['dynamic-networks.io/interface-requests'] === undefined,
        );
      } else
        world.objects.modify({ resource: 'pods', ...world.pod('vm') }, (draft) => {
          draft.metadata.annotations = { ...draft.metadata.annotations, 'k8s.v1.cni.cncf.io/network-status': '{' };
        });
      await world.world.cluster.until(
        'people are told',
        () => world.world.cluster.events({ namespace: 'default', name: 'vm' }).length > 0,
      );
      const asked = new Set(
        world.world.cluster.api.calls
          .matching({})
          // The webhook's Secret is every controller's, and its configuration has rights of its own.
          .filter(
            ({ resource }) => !['', 'leases', 'secrets', NODE_NETWORK_CONFIGURATION.resource.plural].includes(resource),
          )
          .map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource ? `/${subresource}` : ''}`),
      );
      const rights = granted(directory);
      expect([...asked].filter((call) => !rights.includes(call))).toEqual([]);
      // Counting an event again takes ten seconds.
      const rare = ['patch events'];
      expect(rights.filter((right) => !asked.has(right) && !rare.includes(right))).toEqual([]);
    } finally {
      await world.stop();
    }
  });

  it.each(Object.entries(gates))('%s come with what turns the gate on', (gate, directory) => {
    expect(gateNames).toContain(gate);
    expect(loadYaml(readFileSync(`${folder}/${directory}/kustomization.yaml`, 'utf8'))).toMatchObject({
      kind: 'Component',
      resources: ['rbac.yaml', ...(gate === 'NodeNetwork' ? ['webhook-rbac.yaml', 'webhook.yaml'] : [])],
      patches: [{ patch: expect.stringContaining(`--feature-gates=${gate}=true`) }],
    });
    const [cluster, binding] = loadAllYaml(readFileSync(`${folder}/${directory}/rbac.yaml`, 'utf8'));
    const name = `dynamic-networks-controller-${directory}`;
    expect(cluster).toMatchObject({ kind: 'ClusterRole', metadata: { name } });
    expect(binding).toMatchObject({
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'dynamic-networks-controller', namespace: 'dynamic-networks' }],
    });
  });
});
