import { credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ContainerState,
  type ContainerStatusResponse,
  type ListContainersResponse,
  type ListPodSandboxResponse,
  PodSandboxState,
  type PodSandboxStatusResponse,
  RuntimeServiceClient,
  type VersionResponse,
} from '../../../cri/generated/runtime.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';

// Clients of one process share connections, and with them the back-off after a failure: these do not.
const connect = (): RuntimeServiceClient =>
  new RuntimeServiceClient(`unix:${cluster.criSocket}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });

type Callback<T> = (error: ServiceError | null, response: T) => void;

const ask = <T>(call: (callback: Callback<T>) => unknown): Promise<T> =>
  new Promise((resolve, reject) => call((error, response) => (error === null ? resolve(response) : reject(error))));

let cluster: EmbeddedCluster;
let client: RuntimeServiceClient;
const pod = { namespace: 'shop', name: 'web' };

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ devices: { 'intel.com/vf-net': ['0000:01:00.1', '0000:01:00.2'] } });
  await cluster.createPod({ ...pod, resources: { 'intel.com/vf-net': 2 } });
  client = connect();
});
afterAll(async () => {
  client.close();
  await cluster.stop();
});
afterEach(() => cluster.cri.clearFaults());

const version = () => ask<VersionResponse>((callback) => client.version({ version: '' }, callback));
const list = (labelSelector: Record<string, string>, state?: PodSandboxState, id = '') => {
  const filter = { id, labelSelector, state: state === undefined ? undefined : { state } };
  return ask<ListPodSandboxResponse>((callback) => client.listPodSandbox({ filter }, callback));
};
const statusOf = (podSandboxId: string, verbose = true) =>
  ask<PodSandboxStatusResponse>((callback) => client.podSandboxStatus({ podSandboxId, verbose }, callback));
const uid = () => cluster.pod(pod).metadata.uid;
const sandbox = () => cluster.kubelet.findSandbox(pod);

describe('CriRuntime', () => {
  it('tells its version', async () => {
    expect(await version()).toMatchObject({ runtimeName: 'containerd', runtimeApiVersion: 'v1' });
  });

  it.each([
    ['uid', () => ({ 'io.kubernetes.pod.uid': uid() }), 1],
    ['namespace and name', () => ({ 'io.kubernetes.pod.namespace': 'shop', 'io.kubernetes.pod.name': 'web' }), 1],
    ['uid of one and name of another', () => ({ 'io.kubernetes.pod.uid': uid(), 'io.kubernetes.pod.name': 'x' }), 0],
    ['an unknown label', () => ({ app: 'web' }), 0],
  ])('lists sandboxes by %s', async (_by, labels, count) => {
    const { items } = await list(labels());
    expect(items.map(({ id }) => id)).toEqual(count === 1 ? [sandbox()?.id] : []);
  });

  it('has several sandboxes of one pod, filtered by state and id, the newest created last', async () => {
    const labels = { 'io.kubernetes.pod.uid': 'many' };
    const base = { podUid: 'many', podNamespace: 'shop', podName: 'many', netns: '/var/run/netns/x' };
    const dead = cluster.cri.sandboxes.add({ ...base, isReady: false });
    const old = cluster.cri.sandboxes.add(base);
    const latest = cluster.cri.sandboxes.add(base);
    expect((await list(labels)).items.map(({ metadata }) => metadata?.attempt)).toEqual([0, 1, 2]);
    const ready = (await list(labels, PodSandboxState.SANDBOX_READY)).items;
    expect(ready.map(({ id }) => id)).toEqual([old.id, latest.id]);
    expect((ready[1]?.createdAt ?? 0n) > (ready[0]?.createdAt ?? 0n)).toBe(true);
    expect((await list({}, undefined, dead.id)).items).toHaveLength(1);
    expect((await list({}, PodSandboxState.SANDBOX_READY, dead.id)).items).toEqual([]);
  });

  it('gives the namespace in the verbose info, as containerd does', async () => {
    const answer = await statusOf(sandbox()?.id ?? '');
    expect(answer.status?.state).toBe(PodSandboxState.SANDBOX_READY);
    const { namespaces } = JSON.parse(answer.info['info'] ?? '').runtimeSpec.linux;
    expect(namespaces).toContainEqual({ type: 'network', path: sandbox()?.netns });
    expect((await statusOf(sandbox()?.id ?? '', false)).info).toEqual({});
  });

  it('answers NOT_FOUND for an unknown sandbox', async () => {
    await expect(statusOf('nope')).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('gives a container its devices in the environment', async () => {
    const filter = { id: '', podSandboxId: sandbox()?.id ?? '' };
    const { containers } = await ask<ListContainersResponse>((callback) => client.listContainers({ filter }, callback));
    expect(containers).toMatchObject([{ podSandboxId: filter.podSandboxId, state: ContainerState.CONTAINER_RUNNING }]);
    const containerId = containers[0]?.id ?? '';
    const answer = await ask<ContainerStatusResponse>((callback) =>
      client.containerStatus({ containerId, verbose: true }, callback),
    );
    const info = JSON.parse(answer.info['info'] ?? '');
    const value = '0000:01:00.1,0000:01:00.2';
    expect(info.config.envs).toContainEqual({ key: 'PCIDEVICE_INTEL_COM_VF-NET', value });
    expect(info.runtimeSpec.process.env).toContain(`PCIDEVICE_INTEL_COM_VF-NET=${value}`);
  });
});

describe('faults of the runtime', () => {
  it('error', async () => {
    cluster.cri.inject({ kind: 'error', code: status.INTERNAL, message: 'broken' }, { method: 'Version', times: 1 });
    await expect(version()).rejects.toMatchObject({ code: status.INTERNAL, details: 'broken' });
    await version();
  });

  it('garbage in the verbose info', async () => {
    cluster.cri.inject({ kind: 'garbageInfo', text: '{{' });
    expect((await statusOf(sandbox()?.id ?? '')).info).toEqual({ info: '{{' });
  });

  it('hang until released', async () => {
    const fault = cluster.cri.inject({ kind: 'hang' });
    const answer = version();
    await fault.reached;
    fault.release();
    await answer;
  });

  it('down and up on the same path', async () => {
    await cluster.cri.down();
    await expect(version()).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await cluster.cri.up();
    const again = connect();
    await ask<VersionResponse>((callback) => again.version({ version: '' }, callback));
    again.close();
  });

  it('counts calls and lets hooks run', async () => {
    const fresh = connect();
    cluster.cri.forgetCalls();
    const seen: string[] = [];
    const end = cluster.cri.onRequest(({ method }) => void seen.push(method), 'acted');
    await ask<VersionResponse>((callback) => fresh.version({ version: '' }, callback));
    end();
    fresh.close();
    expect(seen).toEqual(['Version']);
    expect(cluster.cri.count('Version')).toBe(1);
    expect(cluster.cri.count('ListContainers')).toBe(0);
  });
});
