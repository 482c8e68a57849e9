import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/object-store.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';
import { bridgeConfig, delegate } from './delegate-client.ts';
import { objectAt, objectsAt } from './json-values.ts';
import { conditionStatus, setCondition } from './pod-status.ts';

let cluster: EmbeddedCluster;
let serial = 0;

beforeAll(async () => {
  cluster = await startEmbeddedCluster();
  cluster.createNad({ name: 'blue', config: bridgeConfig({ name: 'blue' }) });
  cluster.createNad({ name: 'red', config: bridgeConfig({ name: 'red' }) });
});
afterAll(() => cluster.stop());

const newRef = () => ({ namespace: 'default', name: `pod-${++serial}` });
const phase = (pod: KubeObject) => pod.status?.['phase'];
const conditions = (pod: KubeObject) =>
  Object.fromEntries(objectsAt(pod.status, 'conditions').map((each) => [each['type'], each['status']]));
const states = (pod: KubeObject) =>
  objectsAt(pod.status, 'containerStatuses').map((each) => Object.keys(objectAt(each, 'state')).join());

describe('a pod that starts', () => {
  it('runs with addresses, container statuses and conditions', async () => {
    const pod = await cluster.createPod({ ...newRef(), containers: ['app', 'sidecar'] });
    expect(pod.status).toMatchObject({
      phase: 'Running',
      hostIP: '192.168.1.10',
      podIP: expect.stringMatching(/^10\.244\./),
    });
    expect(states(pod)).toEqual(['running', 'running']);
    expect(conditions(pod)).toEqual({
      PodScheduled: 'True',
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      ContainersReady: 'True',
      Ready: 'True',
    });
  });

  it('is not Ready until its readiness gates are', async () => {
    const ref = newRef();
    const pod = await cluster.createPod({ ...ref, readinessGates: ['example.com/Networks'] });
    expect(conditions(pod)).toMatchObject({ ContainersReady: 'True', Ready: 'False' });
    const setGate = (value: boolean) =>
      cluster.objects.modify({ resource: 'pods', ...ref }, (draft) =>
        setCondition(draft, 'example.com/Networks', value),
      );
    setGate(true);
    await cluster.until('it is ready', () => conditionStatus(cluster.pod(ref), 'Ready') === 'True');
    setGate(false);
    await cluster.until('it is not', () => conditionStatus(cluster.pod(ref), 'Ready') === 'False');
  });

  it('stays Pending while its creation is held', async () => {
    const ref = newRef();
    const hold = cluster.kubelet.holdCreation(ref);
    const created = cluster.createPod(ref);
    await hold.reached;
    expect(phase(cluster.pod(ref))).toBe('Pending');
    expect(cluster.kubelet.findSandbox(ref)).toBeUndefined();
    hold.release();
    expect(phase(await created)).toBe('Running');
  });

  it('on another node, or on none, is left alone', async () => {
    expect(phase(await cluster.createPod({ ...newRef(), nodeName: 'elsewhere' }))).toBe('Pending');
    expect(phase(await cluster.createPod({ ...newRef(), schedule: false }))).toBe('Pending');
  });

  it('without a node is given one', async () => {
    const ref = newRef();
    cluster.objects.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: ref,
      spec: { containers: [{ name: 'app', image: 'x' }] },
    });
    await cluster.until('it runs', () => phase(cluster.pod(ref)) === 'Running');
    expect(cluster.pod(ref).spec?.['nodeName']).toBe(cluster.nodeName);
  });

  it("on the host's network has its address, a sandbox without namespace, and no network-status", async () => {
    const ref = newRef();
    const pod = await cluster.createPod({ ...ref, hostNetwork: true, networks: 'blue' });
    expect(pod.status?.['podIP']).toBe('192.168.1.10');
    expect(cluster.kubelet.findSandbox(ref)?.netns).toBe('');
    expect(cluster.networkStatus(ref)).toEqual([]);
  });

  it('as a mirror of a static pod is known to the runtime by the static uid', async () => {
    const ref = newRef();
    const pod = await cluster.createPod({ ...ref, mirrorOf: 'abc123', networks: 'blue' });
    expect(pod.metadata.uid).not.toBe('abc123');
    expect(cluster.cri.sandboxes.ofPod('abc123')).toHaveLength(1);
    expect(cluster.networkStatus(ref)).toHaveLength(2);
  });
});

describe('a pod that is deleted', () => {
  it('passes through all stages, each of which can be held', async () => {
    const ref = newRef();
    await cluster.createPod({ ...ref, networks: 'blue' });
    const sandbox = cluster.kubelet.findSandbox(ref);
    const { id = '', netns = '' } = sandbox ?? {};
    const [containers, stop, object] = [
      cluster.kubelet.holdTermination(ref),
      cluster.kubelet.holdTermination(ref, 'sandbox'),
      cluster.kubelet.holdTermination(ref, 'object'),
    ];
    const deleted = cluster.deletePod(ref);

    await containers.reached;
    expect(cluster.pod(ref).metadata.deletionTimestamp).toBeDefined();
    expect(phase(cluster.pod(ref))).toBe('Running');
    expect(cluster.kernel.hasNetns(netns)).toBe(true);

    containers.release();
    await stop.reached;
    expect([phase(cluster.pod(ref)), ...states(cluster.pod(ref))]).toEqual(['Succeeded', 'terminated']);
    expect(sandbox?.isReady).toBe(true);
    expect(cluster.kernel.findLink(netns, 'net1')).toBeDefined();

    stop.release();
    await object.reached;
    expect(sandbox?.isReady).toBe(false);
    expect(cluster.kernel.hasNetns(netns)).toBe(false);
    expect(cluster.ipam.inspect().filter(({ containerId }) => containerId === id)).toEqual([]);
    expect(cluster.cri.sandboxes.find(id)).toBeDefined();

    object.release();
    await deleted;
    expect(cluster.cri.sandboxes.find(id)).toBeUndefined();
  });

  it('by force goes at once, and its sandbox afterwards', async () => {
    const ref = newRef();
    await cluster.createPod({ ...ref, networks: 'blue' });
    const { id = '', netns = '' } = cluster.kubelet.findSandbox(ref) ?? {};
    const hold = cluster.kubelet.holdTermination(ref, 'sandbox');
    await cluster.deletePod(ref, { force: true });
    await hold.reached;
    expect(cluster.kernel.hasNetns(netns)).toBe(true);
    hold.release();
    await cluster.until('the sandbox is gone', () => cluster.cri.sandboxes.find(id) === undefined);
    expect(cluster.kernel.hasNetns(netns)).toBe(false);
  });

  it('can come back under its name while the old one is being torn down', async () => {
    const ref = newRef();
    const { uid } = (await cluster.createPod(ref)).metadata;
    const hold = cluster.kubelet.holdTermination(ref, 'sandbox');
    await cluster.deletePod(ref, { force: true });
    await hold.reached;
    const again = await cluster.createPod(ref);
    expect(again.metadata.uid).not.toBe(uid);
    expect(cluster.cri.sandboxes.ofPod(uid)).toHaveLength(1);
    hold.release();
    await cluster.until('the old one is gone', () => cluster.cri.sandboxes.ofPod(uid).length === 0);
    expect(phase(cluster.pod(ref))).toBe('Running');
  });

  it('with a finalizer stays until that is gone', async () => {
    const ref = newRef();
    await cluster.createPod({ ...ref, finalizers: ['example.com/wait'] });
    const deleted = cluster.deletePod(ref);
    await cluster.until(
      'the sandbox is gone',
      () => cluster.cri.sandboxes.ofPod(cluster.pod(ref).metadata.uid).length === 0,
    );
    cluster.objects.modify({ resource: 'pods', ...ref }, (draft) => {
      draft.metadata.finalizers = [];
    });
    await deleted;
  });

  it('before it ever started, just goes', async () => {
    const ref = newRef();
    await cluster.createPod({ ...ref, networks: 'no-such-net', wait: false });
    await cluster.deletePod(ref);
    expect(cluster.leaks()).toEqual([]);
  });
});

describe('what happens to a running pod', () => {
  it('sandbox killed: a new one, with everything the annotation lists by then', async () => {
    const ref = newRef();
    const before = await cluster.createPod({ ...ref, networks: 'blue' });
    const old = cluster.kubelet.findSandbox(ref);
    const config = bridgeConfig({ name: 'red' });
    await delegate(cluster, { command: 'ADD', pod: ref, ifname: 'net2', config });
    cluster.editNetworks(ref, 'blue,red');
    const hold = cluster.kubelet.holdCreation(ref);
    const killed = cluster.kubelet.killSandbox(ref);

    await hold.reached;
    expect(old?.isReady).toBe(false);
    expect(cluster.kernel.hasNetns(old?.netns ?? '')).toBe(false);
    expect(conditions(cluster.pod(ref))).toMatchObject({ PodReadyToStartContainers: 'False' });

    hold.release();
    await killed;
    const fresh = cluster.kubelet.findSandbox(ref);
    expect(fresh?.attempt).toBe(1);
    expect(fresh?.netns).not.toBe(old?.netns);
    expect(cluster.links(ref).map(({ name, network }) => [name, network])).toEqual([
      ['eth0', 'podnet'],
      ['net1', 'blue'],
      ['net2', 'red'],
    ]);
    expect(cluster.networkStatus(ref)).toHaveLength(3);
    expect(cluster.pod(ref).status?.['podIP']).not.toBe(before.status?.['podIP']);
    expect(conditions(cluster.pod(ref))).toMatchObject({ PodReadyToStartContainers: 'True', Ready: 'True' });
    // What was hot-plugged into the old sandbox still holds its address: nobody but its plugger can free it.
    expect(cluster.leaks()).toMatchObject([{ kind: 'address', network: 'red', containerId: old?.id }]);
    const env = { CNI_CONTAINERID: old?.id, CNI_NETNS: '' };
    await delegate(cluster, { command: 'DEL', pod: ref, ifname: 'net2', config, env });
    expect(cluster.leaks()).toEqual([]);
  });

  it('container restarted: same sandbox, another container', async () => {
    const ref = newRef();
    const before = await cluster.createPod(ref);
    const sandbox = cluster.kubelet.findSandbox(ref);
    cluster.kubelet.restartContainer(ref);
    const [was] = objectsAt(before.status, 'containerStatuses');
    const [is] = objectsAt(cluster.pod(ref).status, 'containerStatuses');
    expect(is?.['restartCount']).toBe(1);
    expect(is?.['containerID']).not.toBe(was?.['containerID']);
    expect(cluster.pod(ref).status?.['podIP']).toBe(before.status?.['podIP']);
    expect(cluster.kubelet.findSandbox(ref)).toBe(sandbox);
    expect(cluster.cri.sandboxes.containersOf(sandbox?.id ?? '').map(({ state }) => state)).toEqual([
      'exited',
      'running',
    ]);
  });

  it.each([
    [0, 'Succeeded'],
    [1, 'Failed'],
  ])('finished with exit code %i: %s, without a namespace, still in the API', async (exitCode, expected) => {
    const ref = newRef();
    await cluster.createPod(ref);
    const { netns = '' } = cluster.kubelet.findSandbox(ref) ?? {};
    cluster.kubelet.finishPod(ref, exitCode);
    await cluster.until('the namespace is gone', () => !cluster.kernel.hasNetns(netns));
    expect(phase(cluster.pod(ref))).toBe(expected);
    await cluster.deletePod(ref);
  });
});
