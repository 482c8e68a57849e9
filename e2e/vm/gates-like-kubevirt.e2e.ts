// The same machines twice on the real cluster: once served by the real virt-controller, once by our gates with virt-controller
// stopped. What each writes, the agent and virt-handler's part being the same, must not differ in any field.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { startVirtController, stopVirtController } from '../cluster/kubevirt.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { type Lists, type Shape, shapes } from './differential/shapes.ts';
import { withVirtualMachines } from './virtual-machines.ts';
import { type Vmi, vmManifest } from './vm-objects.ts';

const story = withNamespace('vm-gates', 78);
const machines = withVirtualMachines(story);
const bundle = resolve(import.meta.dirname, '../../dist/dynamic-networks.mjs');
const deadlineMs = 240_000;
const vmsPath = `/apis/kubevirt.io/v1/namespaces/${story.namespace}/virtualmachines`;

const chosen = shapes
  .filter(({ isForRealCluster }) => isForRealCluster)
  .map((shape, index) => ({ shape, id: `${index}` }));

const editsOf = ({ networks, interfaces }: Lists, root: string) => [
  { op: 'add', path: `${root}/networks`, value: networks } as const,
  { op: 'add', path: `${root}/domain/devices/interfaces`, value: interfaces } as const,
];

const create = async (name: string, { start }: Shape): Promise<void> => {
  const manifest = vmManifest(name, story.namespace, { node: story.node });
  const { spec }: { spec: { template: { spec: { domain: { devices: object } } } } } = JSON.parse(
    JSON.stringify(manifest),
  );
  const { template } = spec;
  const inside = {
    ...template.spec,
    networks: start.networks,
    domain: { ...template.spec.domain, devices: { ...template.spec.domain.devices, interfaces: start.interfaces } },
  };
  await machines.api().create(vmsPath, { ...manifest, spec: { ...spec, template: { ...template, spec: inside } } });
};

const edit = async (name: string, { edited }: Shape): Promise<void> => {
  if (edited !== undefined)
    await machines.api().jsonPatch(`${vmsPath}/${name}`, editsOf(edited, '/spec/template/spec'));
};

/** Everything that the two are compared in. */
const written = async (name: string): Promise<object> => {
  const vmi = await machines.getVmi(name);
  const pod = await story.getPod(await machines.launcher(name));
  const annotations = pod.metadata.annotations ?? {};
  const entries = (vmi.status?.interfaces ?? []).map(({ name: network, podInterfaceName, infoSource }) => ({
    ...{ network, podInterfaceName },
    // Who wrote first is chance.
    infoSource: infoSource?.split(', ').toSorted(),
  }));
  return {
    networks: annotations['k8s.v1.cni.cncf.io/networks'],
    networkInfo: annotations['kubevirt.io/network-info'],
    status: entries.toSorted((a, b) => String(a.network).localeCompare(String(b.network))),
    spec: { networks: vmi.spec.networks, interfaces: vmi.spec.domain.devices.interfaces },
  };
};

/** Nothing is absent any more, and every interface of the spec that has a network is told of. */
const isSettled = ({ spec, status }: Vmi, { edited, start }: Shape): boolean => {
  const interfaces = spec.domain.devices.interfaces ?? [];
  const last = edited ?? start;
  const wanted = last.interfaces
    .filter((iface) => !('state' in iface))
    .map((iface) => ('name' in iface ? iface.name : ''));
  const told = (status?.interfaces ?? []).filter(
    ({ name, infoSource }) => name === 'default' || infoSource?.includes('multus-status'),
  );
  const isThere = (name: unknown) =>
    interfaces.some((iface) => iface.name === name) && told.some((entry) => entry.name === name);
  return wanted.every(isThere) && interfaces.every(({ state, name }) => state !== 'absent' && isThere(name));
};

const settled = (name: string, shape: Shape): Promise<boolean> =>
  explained(
    `machine ${name} (${shape.title}) to settle`,
    async () => {
      const vmi = await machines.getVmi(name);
      if (isSettled(vmi, shape)) return true;
      throw new Error(JSON.stringify({ spec: vmi.spec.domain.devices.interfaces, status: vmi.status?.interfaces }));
    },
    deadlineMs,
  );

let controller: ChildProcess | undefined;

const startOurs = (): void => {
  const flags = {
    '--kubeconfig': inject('target').kubeconfigPath,
    '--pod-namespace': story.namespace,
    '--pod-name': 'gates',
    '--lease-name': 'gates-under-test',
    '--feature-gates': 'HotplugNICs=true,PodInterfaceName=true,DeviceMap=true',
    '--listen': '127.0.0.1:0',
    '--log-level': 'warn',
  };
  controller = spawn(process.execPath, [bundle, 'controller', ...Object.entries(flags).flat()], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
};

afterAll(async () => {
  if (controller !== undefined && controller.exitCode === null) {
    controller.kill('SIGTERM');
    await once(controller, 'exit');
  }
  if (canHaveVirtualMachines) await startVirtController(story.kubectl.run);
});

describe.skipIf(!canHaveVirtualMachines)('our gates', () => {
  it('write what the real virt-controller writes', { timeout: 4 * deadlineMs }, async () => {
    for (const name of ['nad-blue', 'nad-red', 'nad-green']) await story.network(bridgeNetwork, name);
    for (const { shape, id } of chosen) {
      await create(`theirs-${id}`, shape);
      await create(`ours-${id}`, shape);
    }
    for (const { shape, id } of chosen) {
      const before = { ...shape, edited: undefined };
      for (const name of [`theirs-${id}`, `ours-${id}`])
        await settled(name, { ...before, title: shape.title, edited: shape.start });
    }
    await Promise.all(chosen.map(({ shape, id }) => edit(`theirs-${id}`, shape)));
    for (const { shape, id } of chosen) await settled(`theirs-${id}`, shape);

    await stopVirtController(story.kubectl.run);
    // What virt-controller had told is forgotten, so that every word of it is ours.
    for (const { id } of chosen) {
      await machines
        .api()
        .mergePatch(`/apis/kubevirt.io/v1/namespaces/${story.namespace}/virtualmachineinstances/ours-${id}`, {
          status: { interfaces: null },
        });
    }
    startOurs();
    for (const { shape, id } of chosen) await settled(`ours-${id}`, { ...shape, edited: shape.start });
    await Promise.all(chosen.map(({ shape, id }) => edit(`ours-${id}`, shape)));
    for (const { shape, id } of chosen) await settled(`ours-${id}`, shape);

    for (const { shape, id } of chosen) {
      expect({ shape: shape.title, ...(await written(`ours-${id}`)) }).toEqual({
        shape: shape.title,
        ...(await written(`theirs-${id}`)),
      });
    }
    expect(chosen.length).toBeGreaterThanOrEqual(25);
  });
});
