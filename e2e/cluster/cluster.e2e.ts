// The cluster of the harness itself: if these fail, no other end-to-end result means anything.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { busyboxImage } from './images.ts';
import { inNode, nodeNames } from './layout.ts';
import { pollUntil } from './poll-until.ts';
import { runCommand } from './run-command.ts';
import { attachCluster, type StartedCluster } from './started-cluster.ts';

const { clusterState } = inject('target');

const namespace = 'cluster-smoke';
const bridgeNetwork = 'smoke-bridge';
const whereaboutsNetwork = 'smoke-whereabouts';
const podDeadlineMs = 60_000;

const bridgeConfig = {
  cniVersion: '0.3.1',
  name: bridgeNetwork,
  type: 'bridge',
  bridge: 'br-smoke',
  ipam: { type: 'host-local', subnet: '10.11.0.0/24' },
};

const whereaboutsConfig = {
  cniVersion: '0.3.1',
  name: whereaboutsNetwork,
  type: 'bridge',
  bridge: 'br-smoke-wb',
  ipam: { type: 'whereabouts', range: '10.12.0.0/24' },
};

const networkManifest = (name: string, config: object): object => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name, namespace },
  spec: { config: JSON.stringify(config) },
});

const podManifest = (name: string, nodeName: string, networks?: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    ...(networks === undefined ? {} : { annotations: { 'k8s.v1.cni.cncf.io/networks': networks } }),
  },
  spec: {
    nodeName,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: busyboxImage, imagePullPolicy: 'Never' }],
  },
});

type Pod = {
  readonly metadata: { readonly uid: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status: { readonly phase: string; readonly podIP?: string };
};

let cluster: StartedCluster;

const startPod = async (name: string, nodeName: string, networks?: string): Promise<Pod> => {
  await cluster.apply(JSON.stringify(podManifest(name, nodeName, networks)));
  await cluster.kubectl([
    '-n',
    namespace,
    'wait',
    `pod/${name}`,
    '--for=condition=Ready',
    `--timeout=${podDeadlineMs / 1000}s`,
  ]);
  const pod: Pod = JSON.parse(await cluster.kubectl(['-n', namespace, 'get', 'pod', name, '-o', 'json']));
  return pod;
};

const addressOf = async (podUid: string, ifname: string): Promise<string | undefined> => {
  const link = (await cluster.netns(podUid)).find((candidate) => candidate.ifname === ifname);
  return link?.addresses.find((address) => !address.includes(':'))?.split('/')[0];
};

beforeAll(async () => {
  if (clusterState === undefined) return;
  cluster = await attachCluster(clusterState);
  await cluster.kubectl(['create', 'namespace', namespace]);
  const hasAccount = async () =>
    (await cluster.tryKubectl(['-n', namespace, 'get', 'serviceaccount', 'default'])).exitCode === 0 ? true : undefined;
  await pollUntil('the service account of the namespace', hasAccount, { deadlineMs: podDeadlineMs });
  await cluster.apply(JSON.stringify(networkManifest(bridgeNetwork, bridgeConfig)));
  await cluster.apply(JSON.stringify(networkManifest(whereaboutsNetwork, whereaboutsConfig)));
});

afterAll(async () => {
  if (clusterState === undefined) return;
  await cluster.kubectl(['delete', 'namespace', namespace, '--wait=true', '--timeout=60s']);
});

describe.skipIf(clusterState === undefined)('the cluster', () => {
  it('has two Ready nodes', async () => {
    const ready = 'jsonpath={range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status} {end}';
    const nodes = (await cluster.kubectl(['get', 'nodes', '-o', ready])).trim().split(' ');
    expect(nodes.sort()).toEqual(nodeNames.map((name) => `${name}=True`));
  });

  it('is what kubectl finds in a shell that was told where it is', async () => {
    const command = documented.clusterEnv.replace('cluster env', `cluster -- env --name ${cluster.name}`);
    const nodes = await runCommand(['bash', '-c', `${command} && kubectl get nodes --output name`]);
    expect(nodes.split('\n').filter(Boolean).sort()).toEqual(nodeNames.map((name) => `node/${name}`));
  });

  it.each(nodeNames)('has the socket of Multus on %s', async (name) => {
    expect((await cluster.node(name).exec(['test', '-S', inNode.multusSocket])).exitCode).toBe(0);
  });

  it.each(nodeNames)('attaches a pod on %s to a bridge network when it is created', async (name) => {
    const pod = await startPod(`bridge-${name}`, name, bridgeNetwork);
    const address = await addressOf(pod.metadata.uid, 'net1');
    expect(address).toMatch(/^10\.11\.0\./);
    const holders = await cluster.node(name).hostLocalStore(bridgeNetwork);
    expect(Object.keys(holders)).toContain(address);
    const status = JSON.parse(pod.metadata.annotations?.['k8s.v1.cni.cncf.io/network-status'] ?? '[]');
    expect(status).toContainEqual(expect.objectContaining({ interface: 'net1', ips: [address] }));
  });

  it('gives pods on different nodes different whereabouts addresses', async () => {
    const pods = await Promise.all(nodeNames.map((name) => startPod(`whereabouts-${name}`, name, whereaboutsNetwork)));
    const addresses = await Promise.all(pods.map((pod) => addressOf(pod.metadata.uid, 'net1')));
    expect(addresses.every((address) => address?.startsWith('10.12.0.'))).toBe(true);
    expect(new Set(addresses).size).toBe(nodeNames.length);
    const pools = JSON.parse(await cluster.kubectl(['get', 'ippools.whereabouts.cni.cncf.io', '-A', '-o', 'json']));
    expect(Object.keys(pools.items[0].spec.allocations)).toHaveLength(nodeNames.length);
  });

  it('routes between pods of different nodes on the default network', async () => {
    const [near, far] = await Promise.all([startPod('near', 'control-plane'), startPod('far', 'worker')]);
    const ping = ['exec', 'near', '--', 'ping', '-c', '1', '-W', '5', far.status.podIP ?? ''];
    expect(near.status.podIP).toMatch(/^10\.244\.0\./);
    expect(await cluster.kubectl(['-n', namespace, ...ping])).toContain('1 packets received');
  });

  it('lets a pod reach the API server with its own credentials, and verify it', async () => {
    await startPod('client', 'worker');
    const account = '/var/run/secrets/kubernetes.io/serviceaccount';
    // Busybox has no verifying TLS client: the node asks, with what the pod was given.
    const token = await cluster.kubectl(['-n', namespace, 'exec', 'client', '--', 'cat', `${account}/token`]);
    const authority = await cluster.kubectl(['-n', namespace, 'exec', 'client', '--', 'cat', `${account}/ca.crt`]);
    const script = 'printf %s "$1" > /tmp/ca.crt; curl -sS --cacert /tmp/ca.crt -H "Authorization: Bearer $2" "$3"';
    const url = 'https://10.96.0.1/apis/authentication.k8s.io/v1';
    const reply = await cluster.node('worker').run(['sh', '-c', script, 'sh', authority, token, url]);
    expect(JSON.parse(reply).kind).toBe('APIResourceList');
  });

  it('plugs and unplugs an interface of a running pod over /delegate', async () => {
    const pod = await startPod('plugged', 'worker');
    const node = cluster.node('worker');
    const [sandbox] = await node.sandboxes(pod.metadata.uid);
    const request = (command: 'ADD' | 'DEL'): object => ({
      env: {
        CNI_COMMAND: command,
        CNI_CONTAINERID: sandbox?.id,
        CNI_NETNS: sandbox?.netnsPath,
        CNI_IFNAME: 'hot1',
        CNI_ARGS: `K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=plugged;K8S_POD_UID=${pod.metadata.uid}`,
      },
      config: Buffer.from(JSON.stringify(bridgeConfig)).toString('base64'),
      interfaceAttributes: {},
    });
    expect(await addressOf(pod.metadata.uid, 'hot1')).toBeUndefined();

    expect(await node.delegate(request('ADD'))).toMatchObject({ status: 200 });
    const address = await addressOf(pod.metadata.uid, 'hot1');
    expect(address).toMatch(/^10\.11\.0\./);
    expect(Object.keys(await node.hostLocalStore(bridgeNetwork))).toContain(address);

    expect(await node.delegate(request('DEL'))).toMatchObject({ status: 200 });
    expect((await cluster.netns(pod.metadata.uid)).map(({ ifname }) => ifname)).not.toContain('hot1');
    expect(Object.keys(await node.hostLocalStore(bridgeNetwork))).not.toContain(address);
  });
});

describe.skipIf(clusterState === undefined)('processes of a node', () => {
  it.each(['kubelet', 'containerd'] as const)('%s comes back after it was killed', async (service) => {
    const node = cluster.node('worker');
    const before = await node.findPid(service);
    await node.killService(service);
    const isBack = async () => {
      const pid = await node.findPid(service);
      return pid !== undefined && pid !== before ? pid : undefined;
    };
    expect(await pollUntil(`${service} to be back`, isBack, { deadlineMs: 10_000 })).toBeGreaterThan(0);
  });

  it('the API server stays down until it is started again, and keeps its data', async () => {
    const node = cluster.node('control-plane');
    const isReady = async () =>
      (await cluster.tryKubectl(['get', '--raw', '/readyz', '--request-timeout=2s'])).exitCode === 0 ? true : undefined;
    expect(await isReady()).toBe(true);
    await node.stopService('kube-apiserver');
    expect(await isReady()).toBeUndefined();
    await node.startService('kube-apiserver');
    await pollUntil('the API server to be back', isReady, { deadlineMs: 60_000 });
    expect(await cluster.kubectl(['get', 'namespace', namespace, '-o', 'name'])).toContain(namespace);
  });

  it('Multus comes back after its daemon was killed', async () => {
    const node = cluster.node('worker');
    const restarts = async () => {
      const path = 'jsonpath={.items[?(@.spec.nodeName=="worker")].status.containerStatuses[0].restartCount}';
      return Number(await cluster.kubectl(['-n', 'kube-system', 'get', 'pods', '-l', 'app=multus', '-o', path]));
    };
    const before = await restarts();
    expect(await node.signalContainers('multus', 'SIGKILL')).toBe(1);
    const isRestarted = async () => ((await restarts()) > before ? true : undefined);
    await pollUntil('kubelet to restart Multus', isRestarted, { deadlineMs: 60_000 });
    const isBack = async () => {
      const curl = ['curl', '-sS', '-o', '/dev/null', '--unix-socket', inNode.multusSocket, 'http://multus/readyz'];
      return (await node.exec(curl)).exitCode === 0 ? true : undefined;
    };
    expect(await pollUntil('Multus to answer', isBack, { deadlineMs: 60_000 })).toBe(true);
  });

  it('a node comes back from a reboot, with its pods in new sandboxes', async () => {
    const node = cluster.node('worker');
    const pod = await startPod('survivor', 'worker', bridgeNetwork);
    const [before] = await node.sandboxes(pod.metadata.uid);
    await node.reboot();
    const isBack = async () => {
      const [after] = await node.sandboxes(pod.metadata.uid);
      const links = await node.netns(pod.metadata.uid);
      return after?.id !== before?.id && links.some(({ ifname }) => ifname === 'net1') ? true : undefined;
    };
    expect(await pollUntil('the pod to have its networks again', isBack, { deadlineMs: 90_000 })).toBe(true);
  });
});
