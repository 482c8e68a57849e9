// uninstall and support-bundle, with a real agent that holds something.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../embedded/api/resource-registry.ts';
import { type Ref, World } from '../harness.ts';
import { MACHINE_KINDS } from '../vm/machine-world.ts';
import { installAgents, installController } from './installed.ts';
import { runDnet } from './run-dnet.ts';

const clusterWide = { namespaced: false, statusSubresource: false, version: 'v1', builtin: true } as const;
const KINDS: readonly ResourceDefinition[] = [
  ...MACHINE_KINDS,
  {
    ...clusterWide,
    group: 'admissionregistration.k8s.io',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
  },
  { ...clusterWide, group: 'rbac.authorization.k8s.io', plural: 'clusterroles', kind: 'ClusterRole' },
  { ...clusterWide, group: 'rbac.authorization.k8s.io', plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' },
];

let world: World;
let pod: Ref;
beforeEach(async () => {
  world = await World.start();
  for (const kind of KINDS) world.cluster.api.register(kind);
  installAgents(world);
  world.cluster.api.podEndpoints.set(world.cluster.agentPod, {
    port: world.agent.telemetryPort,
    log: '{"msg":"agent started"}\n',
  });
  for (const [plural, name] of OURS) create(plural, name);
  create('clusterroles', 'somebody-else');
  pod = await world.pod('web', 'red@r0');
  world.edit(pod, 'red@r0, blue@b0');
  await world.converged(pod, { r0: 'default/red', b0: 'default/blue' });
});
afterEach(() => world.stop());

const OURS = [
  ['validatingwebhookconfigurations', 'dynamic-networks-admission'],
  ['clusterrolebindings', 'dynamic-networks-agent'],
  ['clusterroles', 'dynamic-networks-agent'],
] as const;

const create = (plural: string, name: string) => {
  const kind = KINDS.find((each) => each.plural === plural);
  world.cluster.objects.create(plural, { apiVersion: `${kind?.group}/v1`, kind: kind?.kind ?? '', metadata: { name } });
};
const isThere = (resource: string, name: string, namespace?: string) =>
  world.cluster.objects.find({ resource, name, ...(namespace && { namespace }) })?.metadata.deletionTimestamp ===
    undefined && world.cluster.objects.find({ resource, name, ...(namespace && { namespace }) }) !== undefined;
const dnet = (...args: string[]) => runDnet(world, args);

it('shows what it would do, and does nothing', async () => {
  const said = await dnet('uninstall');
  expect(said).toEqual({
    code: 1,
    out: 'unplug: b0 on default/blue of pod default/web\nremove: webhooks, controller, agents, rights, and what is ours in namespace dynamic-networks\n',
    err: 'Nothing was done. Add --yes to do it.\n',
  });
  expect(isThere('daemonsets', 'dynamic-networks-agent', 'dynamic-networks')).toBe(true);
  expect(world.links(pod)).toEqual(['b0', 'r0']);
});

it('unplugs what was hot-plugged and nothing else, and removes everything in order', async () => {
  const said = await dnet('uninstall', '--yes');
  expect(said.err).toBe('');
  expect(said.code).toBe(0);
  expect(world.links(pod)).toEqual(['r0']);
  expect(await world.ledger()).toEqual({});
  for (const [plural, name] of OURS) expect(isThere(plural, name), `${plural} ${name}`).toBe(false);
  expect(isThere('daemonsets', 'dynamic-networks-agent', 'dynamic-networks')).toBe(false);
  expect(isThere('clusterroles', 'somebody-else')).toBe(true);
  const deleted = world.cluster.api.calls.matching({ verb: 'delete' }).map(({ resource }) => resource);
  expect(deleted).toEqual([
    'validatingwebhookconfigurations',
    'daemonsets',
    'clusterrolebindings',
    'clusterroles',
    'namespaces',
  ]);
});

it('keeps the agents while they cannot give something back', async () => {
  await world.cluster.multus.down();
  const said = await dnet('uninstall', '--yes', '--timeout', '1s');
  expect(said.code).toBe(1);
  expect(said.err).toContain(
    'error: the agents still hold 1 interfaces after 1 s: b0 on default/blue of default/web on node node-a',
  );
  expect(isThere('daemonsets', 'dynamic-networks-agent', 'dynamic-networks')).toBe(true);
  await world.cluster.multus.up();
});

it('refuses while virtual machines need it, unless it is forced', async () => {
  installController(world, ['--feature-gates=HotplugNICs=true']);
  world.cluster.objects.create('virtualmachineinstances', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { namespace: 'default', name: 'vm-a' },
    spec: { networks: [{ name: 'blue', multus: { networkName: 'blue' } }], domain: { devices: { interfaces: [] } } },
  });
  const said = await dnet('uninstall', '--yes');
  expect(said.code).toBe(1);
  expect(said.out).toContain(
    'needed: gate HotplugNICs serves 1 running virtual machines with secondary networks: default/vm-a\n',
  );
  expect(said.err).toBe('error: it is still needed\n  resolve the above first, or add --force\n');
  expect(isThere('deployments', 'dynamic-networks-controller', 'dynamic-networks')).toBe(true);
  expect((await dnet('uninstall', '--yes', '--force')).code).toBe(0);
  expect(isThere('deployments', 'dynamic-networks-controller', 'dynamic-networks')).toBe(false);
});

it('says so when there is nothing to remove', async () => {
  world.cluster.objects.remove({
    resource: 'daemonsets',
    namespace: 'dynamic-networks',
    name: 'dynamic-networks-agent',
  });
  expect(await dnet('uninstall')).toEqual({
    code: 1,
    out: '',
    err: 'error: nothing of dynamic-networks is installed in this cluster\n',
  });
});

it('a support bundle has objects, events, logs and metrics, and no secrets', async () => {
  world.cluster.createNad({
    name: 'guarded',
    config: { type: 'x', apiPassword: 'hunter2', ipam: { token: 'hunter3' } },
  });
  world.cluster.objects.create('virtualmachines', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace: 'default', name: 'vm-a' },
    spec: {
      template: {
        spec: {
          networks: [{ name: 'n', pod: {} }],
          volumes: [{ cloudInitNoCloud: { userData: 'password: hunter4' } }],
        },
      },
    },
  });
  await world.cluster.until('the event is there', () => world.events(pod, 'AddedInterface').length === 1);
  const file = join(world.cluster.dir, 'bundle.tar.gz');
  const said = await dnet('support-bundle', '-f', file);
  expect([said.code, said.out]).toEqual([0, `${file}\n`]);
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace(/^[^/]+\//, ''));
  const agent = `agent/${world.cluster.agentPod.name}`;
  expect(names.toSorted()).toEqual(
    [
      'about.json',
      'doctor.json',
      'events.json',
      'installation/configmaps.json',
      'installation/daemonsets.json',
      'installation/deployments.json',
      'networks.json',
      'nodes.json',
      'pods.json',
      'virtual-machines.json',
      `${agent}/ledger.txt`,
      `${agent}/log.txt`,
      `${agent}/metrics.txt`,
      `${agent}/readyz.txt`,
    ].toSorted(),
  );
  const content = execFileSync('tar', ['-xzOf', file], { encoding: 'utf8' });
  expect(content).toContain('agent started');
  expect(content).toContain('dynamic_networks_ledger_pods 1');
  expect(content).toContain('AddedInterface');
  for (const secret of ['hunter2', 'hunter3', 'hunter4', world.cluster.token]) expect(content).not.toContain(secret);
  expect(world.cluster.api.calls.matching({}).filter(({ url }) => url.includes('/secrets'))).toEqual([]);
});
