// The shipped webhook for claimed addresses, asked by an API server over HTTPS: launcher pods of machines, whose claims the
// test fills, as the allocator or somebody else's would.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { controllerFields } from '../../config/controller-settings.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { type EmbeddedApiServer, startApiServer } from '../../embedded/api/api-server.ts';
import type { NewKubeObject } from '../../embedded/api/object-store.ts';
import type { ResourceDefinition } from '../../embedded/api/resource-registry.ts';
import { TestClient } from '../../embedded/api/test-client.ts';
import type { AdmissionQuestion } from '../../embedded/api/webhooks/webhook-match.ts';
import { type RunningController, startController } from '../../main-controller.ts';

const NETWORKS = 'k8s.v1.cni.cncf.io/networks';
const pods = '/api/v1/namespaces/ns1/pods';
const BLUE = 'pod16477688c0e';
const crd = { namespaced: true, statusSubresource: false } as const;
const kubeVirt = { group: 'kubevirt.io', version: 'v1', ...crd };
const resources: ResourceDefinition[] = [
  { ...kubeVirt, plural: 'virtualmachines', kind: 'VirtualMachine' },
  { ...kubeVirt, plural: 'virtualmachineinstances', kind: 'VirtualMachineInstance' },
  { ...kubeVirt, plural: 'virtualmachineinstancemigrations', kind: 'VirtualMachineInstanceMigration' },
  { ...kubeVirt, plural: 'kubevirts', kind: 'KubeVirt' },
  { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', ...crd },
  {
    group: 'k8s.cni.cncf.io',
    version: 'v1alpha1',
    plural: 'ipamclaims',
    kind: 'IPAMClaim',
    namespaced: true,
    statusSubresource: true,
  },
];

const matchConditions = {
  'has-claims': ({ object }: AdmissionQuestion) => object.metadata.labels?.['kubevirt.io'] === 'virt-launcher',
  'changes-networks': ({ object, oldObject }: AdmissionQuestion) => {
    const text = object.metadata.annotations?.[NETWORKS] ?? '';
    return text !== '' && text !== oldObject?.metadata.annotations?.[NETWORKS];
  },
};

let directory: string;
let api: EmbeddedApiServer;
let client: TestClient;
let controller: RunningController;
let vmiUid: string;

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return address !== null && typeof address === 'object' ? address.port : 0;
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'claims-'));
  const place = `127.0.0.1:${await freePort()}`;
  api = await startApiServer({ resources, webhooks: { resolveService: () => place, matchConditions } });
  await writeFile(join(directory, 'kubeconfig'), api.kubeconfig());
  client = new TestClient(api);
  const manifest = resolve(import.meta.dirname, '../../../deploy/gates/vm-persistent-ips/webhook.yaml');
  api.objects.create('mutatingwebhookconfigurations', loadYaml<NewKubeObject>(readFileSync(manifest, 'utf8')));
  api.objects.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'dynamic-networks-webhook-certificate', namespace: 'dynamic-networks' },
  });
  const nad = (name: string, config: object) =>
    api.objects.create('network-attachment-definitions', {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { name, namespace: 'ns1' },
      spec: { config: JSON.stringify({ cniVersion: '0.3.1', name, type: 'macvlan', ...config }) },
    });
  nad('kept', { allowPersistentIPs: true, subnets: '10.1.0.0/24' });
  nad('plain', {});
  const network = (name: string, networkName: string) => ({ name, multus: { networkName } });
  vmiUid = api.objects.create('virtualmachineinstances', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'vm-a', namespace: 'ns1' },
    spec: {
      domain: { devices: { interfaces: ['blue', 'other'].map((name) => ({ name, bridge: {} })) } },
      networks: [network('blue', 'kept'), network('other', 'plain')],
    },
  }).metadata.uid;
  const settings = await loadSettings(controllerFields, {
    flags: {
      podNamespace: 'dynamic-networks',
      podName: 'a',
      kubeconfig: join(directory, 'kubeconfig'),
      featureGates: 'VMPersistentIPs=true',
      webhookListen: place,
      webhookLinger: '0',
      claimWait: '5s',
      listen: '127.0.0.1:0',
      logLevel: 'fatal',
    },
    env: {},
    file: undefined,
  });
  controller = await startController(settings, { onLeadershipLost: () => undefined });
  const isReady = async () =>
    expect((await fetch(`http://127.0.0.1:${controller.telemetryPort}/readyz`)).status).toBe(200);
  await vi.waitFor(isReady, { timeout: 30_000, interval: 100 });
}, 60_000);
afterAll(async () => {
  await controller.stop();
  await client.close();
  await api.stop();
  await rm(directory, { recursive: true });
});

const launcher = (name: string, elements: readonly object[]) => ({
  metadata: {
    name,
    labels: { 'kubevirt.io': 'virt-launcher' },
    annotations: { 'kubevirt.io/domain': 'vm-a', [NETWORKS]: JSON.stringify(elements) },
    ownerReferences: [
      { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'vm-a', uid: vmiUid, controller: true },
    ],
  },
  spec: {},
});
const blue = { name: 'kept', namespace: 'ns1', interface: BLUE };
const plain = { name: 'plain', namespace: 'ns1', interface: 'podf5cbbd1d9ab' };

it('a launcher pod gets the address that the allocator gives its machine, and gets it back after a rewrite', async () => {
  const { status, body } = await client.post(pods, launcher('first', [blue, plain]));
  expect([status, body.message]).toEqual([201, undefined]);
  const claim = api.objects.find({ resource: 'ipamclaims', namespace: 'ns1', name: 'vm-a.blue' });
  const ips = claim?.status?.['ips'];
  expect(ips).toEqual([expect.stringMatching(/^10\.1\.0\.\d+\/24$/)]);
  expect(body.metadata.annotations?.[NETWORKS]).toBe(
    `[${JSON.stringify({ ...blue, ips, 'ipam-claim-reference': 'vm-a.blue' })},${JSON.stringify(plain)}]`,
  );

  // virt-controller writes its own text again and again.
  const rewritten = JSON.stringify([plain, blue]);
  const { body: after } = await client.patch(`${pods}/first`, { metadata: { annotations: { [NETWORKS]: rewritten } } });
  expect(JSON.parse(after.metadata.annotations?.[NETWORKS] ?? '')).toEqual([
    plain,
    { ...blue, ips, 'ipam-claim-reference': 'vm-a.blue' },
  ]);
}, 30_000);

it('a pod that is no launcher is not asked about', async () => {
  const { body } = await client.post(pods, {
    metadata: { name: 'ordinary', annotations: { [NETWORKS]: JSON.stringify([blue]) } },
    spec: {},
  });
  expect(body.metadata.annotations?.[NETWORKS]).toBe(JSON.stringify([blue]));
});
