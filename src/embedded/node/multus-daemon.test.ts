import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';
import { type Answer, bridgeConfig, type DelegateInput, delegate, delegateBody, post } from './delegate-client.ts';

let cluster: EmbeddedCluster;
let serial = 0;

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ multusCniVersion: '1.0.0' });
});
afterAll(() => cluster.stop());

const newPod = async () => {
  const ref = { namespace: 'default', name: `pod-${++serial}` };
  await cluster.createPod(ref);
  return ref;
};

const onNewPod = async (input: Partial<DelegateInput>): Promise<Answer> =>
  delegate(cluster, { command: 'ADD', config: bridgeConfig(), pod: await newPod(), ...input });

describe('endpoints', () => {
  it.each([
    ['GET', '/healthz', 200],
    ['POST', '/healthz', 200],
    ['PUT', '/healthz', 405],
    ['GET', '/readyz', 404],
    ['GET', '/delegate', 405],
    ['POST', '/anything', 404],
  ])('%s %s answers %i', async (method, path, status) => {
    expect((await post(cluster.multusSocket, path, '{}', method)).status).toBe(status);
  });
});

describe('ADD', () => {
  it('answers with a result, makes the link and says so in an event that names the config', async () => {
    const pod = await newPod();
    const answer = await delegate(cluster, { command: 'ADD', pod, config: bridgeConfig({ name: 'green' }) });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      Result: { cniVersion: '1.1.0', interfaces: [{}, {}, { name: 'net7' }], ips: [{ interface: 2 }] },
    });
    expect(cluster.links(pod).map(({ name }) => name)).toEqual(['eth0', 'net7']);
    expect(cluster.events(pod).map((event) => event['message'])).toContainEqual(
      expect.stringMatching(/^Add net7 \[10\.20\.0\.\d+\/24\] from green$/),
    );
  });

  it('refuses a name that exists before any plugin runs', async () => {
    const pod = await newPod();
    await delegate(cluster, { command: 'ADD', pod, config: bridgeConfig() });
    const held = cluster.ipam.inspect().length;
    const answer = await delegate(cluster, { command: 'ADD', pod, config: bridgeConfig() });
    const { id, netns } = cluster.kubelet.findSandbox(pod) ?? {};
    const args = `K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod.name};K8S_POD_UID=${cluster.pod(pod).metadata.uid}`;
    expect(answer).toEqual({
      status: 400,
      body: `ContainerID:"${id}" Netns:"${netns}" IfName:"net7" Args:"${args}" Path:"" ERRORED: error configuring pod [default/${pod.name}] networking: DelegateAdd: cannot set "bridge" interface name to "net7": validateIfName: interface name net7 already exists\n`,
    });
    expect(cluster.ipam.inspect()).toHaveLength(held);
  });

  it.each<[string, Partial<DelegateInput>, string]>([
    [
      'a namespace that is gone',
      { env: { CNI_NETNS: '/var/run/netns/x' } },
      'validateIfName: no net namespace /var/run/netns/x found: failed to Statfs "/var/run/netns/x": no such file or directory',
    ],
    ['a bad MAC', { attributes: { mac: 'zz' } }, 'DelegateAdd: failed to parse mac address "zz"'],
    ['a bad address', { attributes: { ips: ['10.0.0'] } }, 'DelegateAdd: failed to parse IP address "10.0.0"'],
    [
      'a failing plugin',
      { config: bridgeConfig({ type: 'faulty', failOn: ['ADD'], message: 'no more' }) },
      'networking: no more',
    ],
    [
      'neither type nor plugins',
      { config: { name: 'x' } },
      "ERRORED: LoadDelegateNetConf: failed with: LoadDelegateNetConfList: delegate must have the 'type' or 'plugin' field",
    ],
    ['STATUS', { command: 'STATUS' }, 'ERRORED: unknown cmd type: STATUS'],
  ])('fails with %s', async (_what, input, text) => {
    const answer = await onNewPod(input);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(text);
    expect(answer.body.endsWith('\n')).toBe(true);
  });

  it('passes MAC, addresses and cni-args on', async () => {
    const pod = await newPod();
    const attributes = { mac: '02:00:00:00:00:AA', ips: ['10.20.0.200/24'], 'cni-args': { vlan: 7 } };
    const answer = await delegate(cluster, { command: 'ADD', pod, config: bridgeConfig(), attributes });
    expect(answer.status).toBe(200);
    expect(cluster.links(pod).at(-1)).toMatchObject({ mac: '02:00:00:00:00:aa', addresses: ['10.20.0.200/24'] });
    expect(cluster.multus.calls.at(-1)?.attributes?.cniArgs).toEqual({ vlan: 7 });
  });
});

describe('the pod', () => {
  const gone = { namespace: 'default', name: 'never-was' };
  const env = { CNI_CONTAINERID: 'c-gone', CNI_NETNS: '' };

  it.each(['ADD', 'DEL'])('must exist for %s', async (command) => {
    const answer = await delegate(cluster, { command, pod: gone, config: bridgeConfig(), env });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(/ERRORED: pod not found during Multus GetPod\n$/);
  });

  it('need not exist for CHECK', async () => {
    const answer = await delegate(cluster, { command: 'CHECK', pod: gone, config: bridgeConfig(), env });
    expect(answer.body).not.toContain('pod not found');
  });

  it.each(['ADD', 'DEL'])('must have the uid for %s', async (command) => {
    const pod = await newPod();
    const args = `K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod.name};K8S_POD_UID=other`;
    const answer = await delegate(cluster, { command, pod, config: bridgeConfig(), env: { CNI_ARGS: args } });
    const { uid } = cluster.pod(pod).metadata;
    expect(answer.body).toContain(
      `ERRORED: Multus: [default/${pod.name}/other]: expected pod UID "other" but got "${uid}" from Kube API`,
    );
  });

  it('of a static pod may have another uid', async () => {
    const pod = { namespace: 'default', name: `static-${++serial}` };
    await cluster.createPod({ ...pod, mirrorOf: 'static-uid' });
    const args = `K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod.name};K8S_POD_UID=static-uid`;
    const answer = await delegate(cluster, { command: 'ADD', pod, config: bridgeConfig(), env: { CNI_ARGS: args } });
    expect(answer.status).toBe(200);
  });

  it('is looked up when the uid is missing', async () => {
    const args = 'K8S_POD_NAMESPACE=default;K8S_POD_NAME=never-was';
    const input = { command: 'CHECK', pod: gone, config: bridgeConfig(), env: { ...env, CNI_ARGS: args } };
    expect((await delegate(cluster, input)).body).toBe(
      'could not extract the kubernetes runtime args: missing pod UID; attempted to recover it from the K8s API, but failed: pod "never-was" not found\n',
    );
  });
});

describe('what cannot be understood', () => {
  it.each([
    ['CNI_COMMAND', 'could not extract the CNI command args: unexpected or missing CNI_COMMAND'],
    ['CNI_CONTAINERID', 'could not extract the CNI command args: missing CNI_CONTAINERID'],
    ['CNI_NETNS', 'could not extract the CNI command args: missing CNI_NETNS'],
    ['CNI_ARGS', 'could not extract the CNI command args: missing CNI_ARGS'],
  ])('%s missing', async (key, text) => {
    expect(await onNewPod({ env: { [key]: undefined } })).toEqual({ status: 400, body: `${text}\n` });
  });

  it.each([
    ['K8S_POD_NAME=a', 'missing K8S_POD_NAMESPACE'],
    ['K8S_POD_NAMESPACE=a', 'missing K8S_POD_NAME'],
    ['K8S_POD_NAMESPACE=a;', "invalid CNI_ARG ''"],
  ])('CNI_ARGS %s', async (args, text) => {
    const body = `could not extract the kubernetes runtime args: ${text}\n`;
    expect(await onNewPod({ env: { CNI_ARGS: args } })).toEqual({ status: 400, body });
  });

  it('a body or a config that is no JSON', async () => {
    expect((await post(cluster.multusSocket, '/delegate', '')).body).toBe('unexpected end of JSON input\n');
    const body = JSON.parse(delegateBody(cluster, { command: 'ADD', pod: await newPod(), config: {} }));
    const answer = await post(cluster.multusSocket, '/delegate', JSON.stringify({ ...body, config: 'eA==' }));
    expect(answer.body).toContain('failed to unmarshall CNI config: invalid character');
  });
});

describe('DEL', () => {
  it('answers 200 with an empty body and leaves nothing, also the second time', async () => {
    const pod = await newPod();
    const config = bridgeConfig({ name: 'del-test' });
    await delegate(cluster, { command: 'ADD', pod, config });
    expect(cluster.ipam.inspect().some(({ network }) => network === 'del-test')).toBe(true);
    for (const _ of [1, 2]) {
      expect(await delegate(cluster, { command: 'DEL', pod, config })).toEqual({ status: 200, body: '' });
    }
    expect(cluster.links(pod).map(({ name }) => name)).toEqual(['eth0']);
    expect(cluster.ipam.inspect().some(({ network }) => network === 'del-test')).toBe(false);
  });

  it('frees an orphan in the name of another pod', async () => {
    const pod = await newPod();
    const config = bridgeConfig({ name: 'orphan' });
    await delegate(cluster, { command: 'ADD', pod, config });
    const { id = '' } = cluster.kubelet.findSandbox(pod) ?? {};
    await cluster.deletePod(pod, { force: true });
    await cluster.until('the sandbox is gone', () => cluster.cri.sandboxes.find(id) === undefined);
    const orphans = cluster.leaks().filter(({ kind }) => kind === 'address');
    expect(orphans).toMatchObject([{ network: 'orphan', containerId: id }]);
    const env = { CNI_CONTAINERID: id, CNI_NETNS: '' };
    const answer = await delegate(cluster, { command: 'DEL', pod: cluster.agentPod, config, env });
    expect(answer).toEqual({ status: 200, body: '' });
    expect(cluster.ipam.inspect().filter(({ network }) => network === 'orphan')).toEqual([]);
  });

  it('fails with the plugin and the verb', async () => {
    const answer = await onNewPod({ command: 'DEL', config: bridgeConfig({ type: 'faulty', failOn: ['DEL'] }) });
    expect(answer.body).toContain(
      'ERRORED: DelegateDel: error invoking DelegateDel - "faulty": error in getting result from DelNetwork: faulty: DEL failed',
    );
  });
});

describe('CHECK', () => {
  it('passes after ADD and finds drift', async () => {
    const pod = await newPod();
    await delegate(cluster, { command: 'ADD', pod, config: bridgeConfig() });
    expect(await delegate(cluster, { command: 'CHECK', pod, config: bridgeConfig() })).toEqual({
      status: 200,
      body: '',
    });
    cluster.kernel.removeLink(cluster.kubelet.findSandbox(pod)?.netns ?? '', 'net7');
    const answer = await delegate(cluster, { command: 'CHECK', pod, config: bridgeConfig() });
    expect(answer.body).toContain(
      'ERRORED: DelegateCheck: error invoking DelegateCheck - "": error in getting result from CheckNetwork: Interface name net7 not found',
    );
  });

  it('of a list always fails', async () => {
    const pod = await newPod();
    const config = { cniVersion: '1.0.0', name: 'listed', plugins: [bridgeConfig()] };
    expect((await delegate(cluster, { command: 'ADD', pod, config })).status).toBe(200);
    expect((await delegate(cluster, { command: 'CHECK', pod, config })).body).toContain(
      `DelegateCheck: error invoking DelegateCheck - "": error in converting the raw bytes to conf: error parsing configuration: missing 'type'`,
    );
  });
});

describe("the daemon's own configuration", () => {
  it('forces its version on every config: with 0.3.1 no CHECK, no MTU and no PCI address', async () => {
    const standard = await startEmbeddedCluster();
    try {
      const pod = { namespace: 'default', name: 'vm' };
      await standard.createPod(pod);
      const config = { cniVersion: '1.0.0', name: 'vf', type: 'sriov', deviceID: '0000:01:00.1', mtu: 9000 };
      const answer = await delegate(standard, { command: 'ADD', pod, config });
      expect(JSON.parse(answer.body).Result.interfaces).toEqual([
        { name: 'net7', mac: expect.any(String), sandbox: expect.any(String) },
      ]);
      expect((await delegate(standard, { command: 'CHECK', pod, config })).body).toContain(
        'configuration version "0.3.1" does not support the CHECK command',
      );
      expect(JSON.parse(readFileSync(standard.multusConfigPath, 'utf8'))).toMatchObject({ cniVersion: '0.3.1' });
    } finally {
      await standard.stop();
    }
  });
});
