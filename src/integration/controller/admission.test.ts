// Two replicas of the controller and the shipped webhook configuration, asked by an API server over HTTPS.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { controllerFields } from '../../config/controller-settings.ts';
import { loadSettings } from '../../config/load-settings.ts';
import type { AccessReview } from '../../embedded/api/access-review.ts';
import { type EmbeddedApiServer, startApiServer } from '../../embedded/api/api-server.ts';
import type { NewKubeObject } from '../../embedded/api/object-store.ts';
import { TestClient } from '../../embedded/api/test-client.ts';
import type { AdmissionQuestion } from '../../embedded/api/webhooks/webhook-match.ts';
import { type RunningController, startController } from '../../main-controller.ts';
import { MACHINE_KINDS } from '../vm/machine-world.ts';

const NETWORKS = 'k8s.v1.cni.cncf.io/networks';
const DEFAULT_NETWORK = 'v1.multus-cni.io/default-network';
const pods = '/api/v1/namespaces/shop/pods';

let directory: string;
let api: EmbeddedApiServer;
let anna: TestClient;
let admin: TestClient;
/** Where a replica listens; only those in here are endpoints of the Service. */
const endpoints = new Map<string, string>();
const controllers = new Map<string, RunningController>();
let reviews: AccessReview[] = [];
let decide: (review: AccessReview) => { allowed: boolean; reason?: string };
let asked = 0;

/** What the CEL expression of the manifest says; the real API server evaluates that one in the end-to-end suite. */
const asksForNetworks = ({ object, oldObject }: AdmissionQuestion): boolean =>
  [NETWORKS, DEFAULT_NETWORK].some((key) => {
    const value = object.metadata.annotations?.[key] ?? '';
    return value !== '' && value !== oldObject?.metadata.annotations?.[key];
  });

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return address !== null && typeof address === 'object' ? address.port : 0;
};

const startReplica = async (podName: string, flags: Record<string, string> = {}): Promise<void> => {
  const place = `127.0.0.1:${await freePort()}`;
  const settings = await loadSettings(controllerFields, {
    flags: {
      podNamespace: 'dynamic-networks',
      podName,
      kubeconfig: join(directory, 'kubeconfig'),
      featureGates: 'NetworksAdmission=true',
      admissionMode: 'enforce',
      accessMemory: '0',
      webhookListen: place,
      webhookLinger: '300ms',
      webhookRefresh: '1s',
      listen: '127.0.0.1:0',
      logLevel: 'fatal',
      ...flags,
    },
    env: {},
    file: undefined,
  });
  const controller = await startController(settings, { onLeadershipLost: () => undefined });
  controllers.set(podName, controller);
  // Only what is ready is an endpoint of a Service.
  const isReady = async () =>
    expect((await fetch(`http://127.0.0.1:${controller.telemetryPort}/readyz`)).status).toBe(200);
  await vi.waitFor(isReady, { timeout: 20_000, interval: 100 });
  endpoints.set(podName, place);
};

const stopReplica = async (podName: string): Promise<void> => {
  // As the endpoints of a pod that ends: gone from the Service, though perhaps not yet everywhere.
  endpoints.delete(podName);
  await controllers.get(podName)?.stop();
  controllers.delete(podName);
};

const manifest = loadYaml<NewKubeObject>(
  readFileSync(resolve(import.meta.dirname, '../../../deploy/gates/networks-admission/webhook.yaml'), 'utf8'),
);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'admission-'));
  decide = () => ({ allowed: true });
  api = await startApiServer({
    tokens: ['embedded-admin', 'annas-token'],
    resources: [...MACHINE_KINDS],
    decideAccess: (review) => {
      if (review.kind === 'SubjectAccessReview') reviews.push(review);
      return decide(review);
    },
    webhooks: {
      resolveService: () => {
        asked += 1;
        const all = [...endpoints.values()];
        return all[asked % all.length] ?? '127.0.0.1:1';
      },
      matchConditions: { 'asks-for-networks': asksForNetworks, 'asks-for-node-network': () => true },
      users: {
        'annas-token': { username: 'anna', uid: 'u-anna', groups: ['dev'], extra: { scopes: ['shop'] } },
      },
    },
  });
  await writeFile(join(directory, 'kubeconfig'), api.kubeconfig());
  anna = new TestClient(api, 'annas-token');
  admin = new TestClient(api);
  api.objects.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  api.objects.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'dynamic-networks-webhook-certificate', namespace: 'dynamic-networks' },
  });
  api.objects.create('validatingwebhookconfigurations', manifest);
  // At the same instant: one certificate must come of it.
  await Promise.all([startReplica('a'), startReplica('b')]);
}, 60_000);
afterAll(async () => {
  await Promise.all([...controllers.keys()].map(stopReplica));
  await anna.close();
  await admin.close();
  await api.stop();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  reviews = [];
  asked = 0;
  decide = () => ({ allowed: true });
});

let created = 0;
const create = (name: string, annotations: Record<string, string>) => {
  created += 1;
  return anna.post(pods, { metadata: { name: `${name}-${created}`, annotations }, spec: {} });
};

describe('an edit of the networks', () => {
  it('is refused to a user without the right, with the exact reason, at creation and later', async () => {
    decide = ({ spec }) => ({ allowed: JSON.stringify(spec).includes('"red"') });
    const message =
      'admission webhook "networks.dynamic-networks.io" denied the request: user "anna" may not use network shop/blue: verb "use" on network-attachment-definitions.k8s.cni.cncf.io "blue" in namespace "shop" is needed';
    expect(await create('a', { [NETWORKS]: 'blue' })).toMatchObject({ status: 403, body: { message } });
    const { body } = await create('a', { [NETWORKS]: 'red' });
    const edit = { metadata: { annotations: { [NETWORKS]: 'red,blue' } } };
    expect(await anna.patch(`${pods}/${body.metadata.name}`, edit)).toMatchObject({ status: 403, body: { message } });
    expect(await anna.patch(`${pods}/${body.metadata.name}/status`, edit)).toMatchObject({ status: 403 });
  });

  it('is asked about with everything that the API server knows of the user', async () => {
    await create('a', { [NETWORKS]: '[{"name":"blue","namespace":"net"}]' });
    expect(reviews.map(({ spec }) => spec)).toEqual([
      {
        user: 'anna',
        uid: 'u-anna',
        groups: ['dev'],
        extra: { scopes: ['shop'] },
        resourceAttributes: {
          namespace: 'net',
          verb: 'use',
          group: 'k8s.cni.cncf.io',
          version: 'v1',
          resource: 'network-attachment-definitions',
          name: 'blue',
        },
      },
    ]);
  });

  it('that is malformed is refused with the element and the reason', async () => {
    expect(await create('a', { [NETWORKS]: '[{"name":"blue","mac":"nonsense"}]' })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('element 1: mac "nonsense" is not a MAC address') },
    });
    expect(reviews).toEqual([]);
  });

  it('is refused while nobody can tell whether it may be', async () => {
    decide = () => {
      throw new Error('the authorizer is down');
    };
    const { status, headers, body } = await create('a', { [NETWORKS]: 'blue' });
    expect([status, headers['retry-after'], body.message]).toEqual([
      503,
      '1',
      expect.stringContaining('cannot be found out now'),
    ]);
  });
});

describe('nobody waits for the webhook', () => {
  it('who does not ask for networks, or asks for no more than before', async () => {
    const { body } = await create('a', {});
    await anna.patch(`${pods}/${body.metadata.name}`, { metadata: { labels: { x: 'y' } } });
    const { body: plugged } = await create('a', { [NETWORKS]: 'blue' });
    expect(asked).toBe(1);
    await anna.patch(`${pods}/${plugged.metadata.name}`, { metadata: { annotations: { other: 'x' } } });
    await anna.patch(`${pods}/${plugged.metadata.name}`, { metadata: { annotations: { [NETWORKS]: null } } });
    await admin.post('/api/v1/namespaces/kube-system/pods', {
      metadata: { name: 'system', annotations: { [NETWORKS]: 'blue' } },
      spec: {},
    });
    expect(asked).toBe(1);
  });
});

describe('a virtual machine that asks for its node’s network', () => {
  const machines = '/apis/kubevirt.io/v1/namespaces/shop/virtualmachines';
  const annotations = { 'dynamic-networks.io/networks': '[{"name":"lan","nodeNetwork":{}}]' };

  it('is refused to a user who may not use that network, when it is made and when it is edited', async () => {
    decide = () => ({ allowed: false });
    const message =
      'admission webhook "machines.dynamic-networks.io" denied the request: user "anna" may not use network shop/node-network: verb "use" on network-attachment-definitions.k8s.cni.cncf.io "node-network" in namespace "shop" is needed';
    const made = await anna.post(machines, { metadata: { name: 'vm-a', annotations }, spec: {} });
    expect(made).toMatchObject({ status: 403, body: { message } });
    expect(await anna.post(machines, { metadata: { name: 'vm-a' }, spec: {} })).toMatchObject({ status: 201 });
    expect(await anna.patch(`${machines}/vm-a`, { metadata: { annotations } })).toMatchObject({ status: 403 });
    const template = { spec: { networks: [{ name: 'lan', nodeNetwork: {} }] } };
    expect(await anna.patch(`${machines}/vm-a`, { spec: { template } })).toMatchObject({ status: 403 });
    decide = () => ({ allowed: true });
    expect(await anna.patch(`${machines}/vm-a`, { metadata: { annotations } })).toMatchObject({ status: 200 });
  });
});

describe('replicas', () => {
  it('share one certificate, which the configuration trusts, and both answer', async () => {
    const secret = { resource: 'secrets', namespace: 'dynamic-networks', name: 'dynamic-networks-webhook-certificate' };
    const data = api.objects.find(secret)?.['data'];
    expect(Object.keys(Object(data)).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    const configuration = api.objects.find({
      resource: 'validatingwebhookconfigurations',
      name: manifest.metadata.name ?? '',
    });
    const trusting = { clientConfig: { caBundle: Object(data)['ca.crt'] } };
    expect(configuration?.['webhooks']).toMatchObject([trusting, trusting]);
    for (const one of ['a', 'b']) {
      const other = one === 'a' ? 'b' : 'a';
      const place = endpoints.get(other) ?? '';
      endpoints.delete(other);
      expect((await create(`only-${one}`, { [NETWORKS]: 'blue' })).status).toBe(201);
      endpoints.set(other, place);
    }
  });

  it('mend what the configuration trusts, every webhookRefresh', async () => {
    const place = { resource: 'validatingwebhookconfigurations', name: manifest.metadata.name ?? '' };
    const trusted = () => api.objects.find(place)?.['webhooks'];
    const before = trusted();
    const path = `/apis/admissionregistration.k8s.io/v1/${place.resource}/${place.name}`;
    const webhooks = [before].flat().map((webhook) => ({
      ...Object(webhook),
      clientConfig: { ...Object(webhook).clientConfig, caBundle: '' },
    }));
    expect(await admin.patch(path, { webhooks })).toMatchObject({ status: 200 });
    expect(trusted()).not.toEqual(before);
    await vi.waitFor(() => expect(trusted()).toEqual(before), { timeout: 15_000, interval: 100 });
  }, 20_000);

  it('come and go without a request that fails', async () => {
    const failures: unknown[] = [];
    let isOver = false;
    const edits = [1, 2, 3, 4].map(async () => {
      while (!isOver) {
        const { status, body } = await create('load', { [NETWORKS]: 'blue' });
        if (status !== 201) failures.push(body.message);
      }
    });
    await stopReplica('b');
    await startReplica('b');
    await stopReplica('a');
    isOver = true;
    await Promise.all(edits);
    await startReplica('a');
    expect(failures).toEqual([]);
  }, 60_000);
});

describe.each<[string, Record<string, string>, object]>([
  [
    'warn',
    { admissionMode: 'warn' },
    {
      status: 201,
      headers: {
        warning: expect.stringContaining('299 - "dynamic-networks: user \\"anna\\" may not use network shop/blue'),
      },
    },
  ],
  ['off', { admissionMode: 'off' }, { status: 201 }],
  ['namespaceIsolation', { namespaceIsolation: 'on' }, { status: 201 }],
])('%s', (mode, flags, expected) => {
  beforeAll(async () => {
    await Promise.all(['a', 'b'].map(stopReplica));
    await startReplica('c', flags);
  }, 60_000);
  afterAll(() => stopReplica('c'));

  it('does what it says', async () => {
    decide = () => ({ allowed: mode === 'namespaceIsolation' });
    const answer = await create('a', { [NETWORKS]: 'blue' });
    expect(answer).toMatchObject(expected);
    if (mode === 'off') expect(answer.headers['warning']).toBeUndefined();
    if (mode !== 'namespaceIsolation') return;
    expect(await create('a', { [NETWORKS]: 'other/blue' })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('namespaces are isolated from each other') },
    });
  });
});
