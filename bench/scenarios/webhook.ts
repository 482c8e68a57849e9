// What the admission webhooks cost: the shipped bundle in a process of its own, asked over HTTPS by an API server to which pods
// come at a steady pace. A latency is what the API server waited for, its own share of the processor included. The floor is a
// webhook that says yes without looking, in a process of its own, asked about the same pods at the same moments.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from 'js-yaml';
import { type EmbeddedApiServer, startApiServer } from '../../src/embedded/api/api-server.ts';
import type { NewKubeObject } from '../../src/embedded/api/object-store.ts';
import { TestClient } from '../../src/embedded/api/test-client.ts';
import { hashedName } from '../../src/vm/interface-names.ts';
import { AgentProcess } from '../agent-process.ts';
import type { Measurement } from '../measurement.ts';
import { percentile } from '../percentiles.ts';
import type { BareWebhook } from './bare-webhook.ts';
import { machineLoad } from './observe.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import { clusterResources } from './webhook-objects.ts';

const NETWORKS = 'k8s.v1.cni.cncf.io/networks';
const PER_SECOND = 100;
const MACHINES = 100;
const root = resolve(import.meta.dirname, '..', '..');

const FLOOR = 'floor.example.org';
const isGiven = (): boolean => true;

const startFloor = async (): Promise<{ readonly child: ChildProcess } & BareWebhook> => {
  const child = fork(join(import.meta.dirname, 'bare-webhook.ts'));
  const [told] = await Promise.race([once(child, 'message'), failureOf(child)]);
  const bare: BareWebhook = told;
  return { child, ...bare };
};

const failureOf = async (child: ChildProcess): Promise<never> => {
  const [code] = await once(child, 'exit');
  throw new Error(`the bare webhook ended with code ${code}`);
};

const floorConfiguration = ({ port, authorityPem }: BareWebhook): NewKubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'floor' },
  webhooks: [
    {
      name: FLOOR,
      clientConfig: { url: `https://localhost:${port}/`, caBundle: Buffer.from(authorityPem).toString('base64') },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      timeoutSeconds: 10,
      failurePolicy: 'Fail',
    },
  ],
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address !== null && typeof address === 'object' ? address.port : 0;
};

const manifestOf = async (gate: string): Promise<NewKubeObject> => {
  const text = await readFile(join(root, 'deploy', 'gates', gate, 'webhook.yaml'), 'utf8');
  const parsed: unknown = load(text);
  return Object(parsed);
};

/** The claims' webhook only knows machines; those of a real cluster come with their claims, and so do these. */
const addMachines = (api: EmbeddedApiServer): string[] => {
  api.objects.create('network-attachment-definitions', {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'kept', namespace: 'default' },
    spec: {
      config: JSON.stringify({ name: 'kept', type: 'macvlan', allowPersistentIPs: true, subnets: '10.1.0.0/16' }),
    },
  });
  return Array.from({ length: MACHINES }, (_, index) => {
    const name = `vm-${index}`;
    return api.objects.create('virtualmachineinstances', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name, namespace: 'default' },
      spec: {
        domain: { devices: { interfaces: [{ name: 'blue', bridge: {} }] } },
        networks: [{ name: 'blue', multus: { networkName: 'kept' } }],
      },
    }).metadata.uid;
  });
};

const launcher = (index: number, uids: readonly string[]): object => {
  const machine = index % MACHINES;
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', controller: true };
  return {
    metadata: {
      name: `pod-${index}`,
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: {
        'kubevirt.io/domain': `vm-${machine}`,
        [NETWORKS]: JSON.stringify([{ name: 'kept', namespace: 'default', interface: hashedName('blue') }]),
      },
      ownerReferences: [{ ...owner, name: `vm-${machine}`, uid: uids[machine] }],
    },
    spec: {},
  };
};

const startController = (kubeconfig: string, listen: string): Promise<AgentProcess> =>
  AgentProcess.start({
    bundle: join(root, 'dist', 'dynamic-networks.mjs'),
    role: 'controller',
    // What deploy/controller/deployment.yaml starts it with.
    nodeFlags: ['--max-old-space-size=256'],
    env: {},
    settings: {
      podNamespace: 'dynamic-networks',
      podName: 'bench',
      kubeconfig,
      featureGates: 'NetworksAdmission=true,VMPersistentIPs=true',
      admissionMode: 'enforce',
      webhookListen: listen,
      webhookLinger: '0',
      listen: '127.0.0.1:0',
      logLevel: 'info',
    },
  });

const run = async ({ pods, progress }: ScenarioContext): Promise<Measurement[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'bench-webhook-'));
  const listen = `127.0.0.1:${await freePort()}`;
  const took = new Map<string, number[]>();
  const matchConditions = { 'asks-for-networks': isGiven, 'has-claims': isGiven, 'changes-networks': isGiven };
  const api = await startApiServer({
    resources: clusterResources,
    webhooks: {
      resolveService: () => listen,
      matchConditions,
      onAnswer: (name, durationMs) => {
        const durations = took.get(name) ?? [];
        durations.push(durationMs);
        took.set(name, durations);
      },
    },
  });
  const client = new TestClient(api);
  await writeFile(join(directory, 'kubeconfig'), api.kubeconfig());
  api.objects.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'dynamic-networks-webhook-certificate', namespace: 'dynamic-networks' },
  });
  api.objects.create('validatingwebhookconfigurations', await manifestOf('networks-admission'));
  api.objects.create('mutatingwebhookconfigurations', await manifestOf('vm-persistent-ips'));
  const uids = addMachines(api);
  const floor = await startFloor();
  api.objects.create('validatingwebhookconfigurations', floorConfiguration(floor));
  const controller = await startController(join(directory, 'kubeconfig'), listen);
  const create = async (index: number): Promise<boolean> =>
    (await client.post('/api/v1/namespaces/default/pods', launcher(index, uids))).status === 201;
  try {
    // Until it serves, and until every machine has its address: that is not what is measured.
    for (let index = 0; index < 2 * MACHINES; index += 1) {
      const isThere = await create(1_000_000 + index);
      if (isThere) continue;
      index -= 1;
      await delay(100);
    }
    took.clear();
    const cpuMs = controller.cpuMs ?? 0;
    progress(`${pods} pods, ${PER_SECOND} a second`);
    const began = performance.now();
    const results: Promise<boolean>[] = [];
    for (let index = 0; index < pods; index += 1) {
      const dueMs = began + (index * 1000) / PER_SECOND - performance.now();
      if (dueMs > 1) await delay(dueMs);
      results.push(create(index));
    }
    const refused = (await Promise.all(results)).filter((isThere) => !isThere).length;
    const floorMs = percentile(took.get(FLOOR) ?? [], 99);
    const controllerCpuMs = ((controller.cpuMs ?? 0) - cpuMs) / pods;
    return [...took].map(([step, durations]) => ({
      scenario: 'webhook',
      pods,
      step,
      values: {
        p50Ms: percentile(durations, 50),
        p90Ms: percentile(durations, 90),
        p99Ms: percentile(durations, 99),
        ...(step !== FLOOR && { floorMs, controllerCpuMs }),
        load: machineLoad(),
        refused,
      },
    }));
  } finally {
    await controller.stop();
    const ended = once(floor.child, 'exit');
    floor.child.disconnect();
    await ended;
    await client.close();
    await api.stop();
    await rm(directory, { recursive: true });
  }
};

export const webhook: Scenario = {
  name: 'webhook',
  description: 'launcher pods are created at 100 a second: how long the API server waits for each admission webhook',
  podCounts: () => [1000],
  run,
};
