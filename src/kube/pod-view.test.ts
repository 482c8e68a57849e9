import { describe, expect, it } from 'vitest';
import { type Stage, stageOf } from '../model/pod.ts';
import { viewPod } from './pod-view.ts';

const metadata = { namespace: 'shop', name: 'web', uid: 'uid-1', resourceVersion: '7' };
const viewOf = (pod: { metadata?: object; spec?: object; status?: object } = {}) =>
  viewPod({ ...pod, metadata: { ...metadata, ...pod.metadata } });
const ended = { state: { terminated: { exitCode: 0 } } };
const running = { state: { running: {} } };
const deleting = { deletionTimestamp: '2024-01-01T00:00:00Z' };

describe('what of an object is no pod', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'pod'],
    ['a list', []],
    ['an object without metadata', {}],
    ['metadata that is a text', { metadata: 'x' }],
    ['a pod without a namespace', { metadata: { ...metadata, namespace: undefined } }],
    ['a pod without a name', { metadata: { ...metadata, name: '' } }],
    ['a pod without a uid', { metadata: { ...metadata, uid: undefined } }],
    ['a pod whose version is a number', { metadata: { ...metadata, resourceVersion: 7 } }],
  ])('%s', (_, object) => {
    expect(viewPod(object)).toBeUndefined();
  });
});

describe('a pod', () => {
  it('of which only the metadata is known has a whole view', () => {
    expect(viewOf()).toEqual({
      key: 'shop/web',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-1',
      runtimeUid: 'uid-1',
      resourceVersion: '7',
      networksText: undefined,
      statusText: undefined,
      interfacesText: undefined,
      phase: '',
      hostIps: [],
      isHostNetwork: false,
      isDeleting: false,
      hasEnded: false,
      isLauncherPod: false,
      hasReadinessGate: false,
      hasSandbox: true,
      sandboxMark: '|',
      condition: undefined,
    });
  });

  it.each<[string, object, readonly string[]]>([
    [
      'all that the kubelet tells',
      { hostIP: '10.0.0.5', hostIPs: [{ ip: '10.0.0.5' }, { ip: 'fd00::5' }] },
      ['10.0.0.5', 'fd00::5'],
    ],
    ['the one of an older kubelet', { hostIP: '10.0.0.5' }, ['10.0.0.5']],
    ['none of a shape that nobody knows', { hostIP: 5, hostIPs: [5, { ip: 5 }] }, []],
  ])('shows the addresses of its node: %s', (_, status, hostIps) => {
    expect(viewOf({ status })?.hostIps).toEqual(hostIps);
  });

  it('shows the three annotations that matter', () => {
    const annotations = {
      'k8s.v1.cni.cncf.io/networks': 'blue',
      'k8s.v1.cni.cncf.io/network-status': '[]',
      'dynamic-networks.io/interfaces': '[1]',
      other: 'x',
    };
    expect(viewOf({ metadata: { annotations } })).toMatchObject({
      networksText: 'blue',
      statusText: '[]',
      interfacesText: '[1]',
    });
  });

  it('that is static is known to the runtime by the uid of its file', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'file-uid' };
    expect(viewOf({ metadata: { annotations } })).toMatchObject({ uid: 'uid-1', runtimeUid: 'file-uid' });
  });

  it.each([
    ['a launcher pod of KubeVirt by its label', { labels: { 'kubevirt.io': 'virt-launcher' } }, true],
    ['another pod of KubeVirt is none', { labels: { 'kubevirt.io': 'virt-handler' } }, false],
    ['a pod without labels is none', {}, false],
  ])('is %s', (_, extra, isLauncherPod) => {
    expect(viewOf({ metadata: extra })?.isLauncherPod).toBe(isLauncherPod);
  });

  it.each([
    ['with our readiness gate', [{ conditionType: 'x' }, { conditionType: 'dynamic-networks.io/NetworksReady' }], true],
    ['with that of others', [{ conditionType: 'x' }], false],
    ['with garbage for gates', 'x', false],
  ])('%s', (_, readinessGates, expected) => {
    expect(viewOf({ spec: { readinessGates } })?.hasReadinessGate).toBe(expected);
  });

  it.each([
    ['on the network of its node', { hostNetwork: true }, true],
    ['on a network of its own', { hostNetwork: false }, false],
  ])('%s', (_, spec, expected) => {
    expect(viewOf({ spec })?.isHostNetwork).toBe(expected);
  });
});

describe('the stage of a pod', () => {
  it.each<[string, Stage, object, object]>([
    ['not scheduled to a state yet', 'starting', {}, {}],
    ['waits for its containers', 'starting', {}, { phase: 'Pending' }],
    ['runs', 'running', {}, { phase: 'Running', containerStatuses: [running] }],
    [
      'runs, although a container of it is between two starts',
      'running',
      {},
      { phase: 'Running', containerStatuses: [ended] },
    ],
    [
      'is being deleted while a container runs',
      'stopping',
      deleting,
      { phase: 'Running', containerStatuses: [running, ended] },
    ],
    [
      'is being deleted while a container waits',
      'stopping',
      deleting,
      { phase: 'Running', containerStatuses: [{ state: { waiting: {} } }] },
    ],
    ['is being deleted and tells of no containers', 'stopping', deleting, { phase: 'Running' }],
    [
      'is being deleted and its containers have ended',
      'ended',
      deleting,
      { phase: 'Running', containerStatuses: [ended, ended] },
    ],
    [
      'is being deleted while a sidecar still runs',
      'stopping',
      deleting,
      { phase: 'Running', containerStatuses: [ended], initContainerStatuses: [running] },
    ],
    [
      'is being deleted while an ephemeral container still runs',
      'stopping',
      deleting,
      { phase: 'Running', containerStatuses: [ended], ephemeralContainerStatuses: [running] },
    ],
    [
      'is being deleted and its init containers ended long ago',
      'ended',
      deleting,
      { phase: 'Running', containerStatuses: [ended], initContainerStatuses: [ended, { state: { waiting: {} } }] },
    ],
    ['has succeeded', 'ended', {}, { phase: 'Succeeded' }],
    ['has failed', 'ended', {}, { phase: 'Failed' }],
    ['is lost', 'starting', {}, { phase: 'Unknown' }],
  ])('that %s: %s', (_, stage, extra, status) => {
    const pod = viewOf({ metadata: extra, status });
    expect(pod && stageOf(pod)).toBe(stage);
  });
});

describe('a sandbox', () => {
  it.each([
    ['is there when the kubelet says so', 'True', true, 'running'],
    ['is there when the kubelet says nothing, as older ones do', undefined, true, 'running'],
    ['is not there between its loss and its successor', 'False', false, 'starting'],
  ])('%s', (_, started, hasSandbox, stage) => {
    const conditions = started === undefined ? [] : [{ type: 'PodReadyToStartContainers', status: started }];
    const pod = viewOf({ status: { phase: 'Running', conditions } });
    expect([pod?.hasSandbox, pod && stageOf(pod)]).toEqual([hasSandbox, stage]);
  });
});

describe('the mark of the sandbox', () => {
  const started = { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' };
  const mark = (status: object) => viewOf({ status })?.sandboxMark;
  const before = mark({ podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], conditions: [started] });

  it('is made of addresses and the start of the sandbox', () => {
    expect(before).toBe('10.0.0.1|fd00::1|True|2024-01-01T00:00:00Z');
  });

  it.each([
    ['another address', { podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::1' }], conditions: [started] }],
    ['an address less', { podIPs: [{ ip: '10.0.0.1' }], conditions: [started] }],
    [
      'another start',
      {
        podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
        conditions: [{ ...started, lastTransitionTime: '2024-01-01T00:01:00Z' }],
      },
    ],
    [
      'a sandbox that is not ready',
      { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], conditions: [{ ...started, status: 'False' }] },
    ],
  ])('differs with %s', (_, status) => {
    expect(mark(status)).not.toBe(before);
  });

  it('does not differ with other conditions or restarts of containers', () => {
    const status = {
      podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: 'later' }, started],
      containerStatuses: [{ ...running, restartCount: 5 }],
    };
    expect(mark(status)).toBe(before);
  });
});

describe('our condition', () => {
  it('is found with its place', () => {
    const ours = { type: 'dynamic-networks.io/NetworksReady', status: 'False', reason: 'R', message: 'm' };
    expect(viewOf({ status: { conditions: [{ type: 'Ready' }, ours] } })?.condition).toEqual({
      index: 1,
      status: 'False',
      reason: 'R',
      message: 'm',
    });
  });

  it('may lack reason and message', () => {
    const conditions = [{ type: 'dynamic-networks.io/NetworksReady', status: 'True' }];
    expect(viewOf({ status: { conditions } })?.condition).toEqual({ index: 0, status: 'True' });
  });
});
