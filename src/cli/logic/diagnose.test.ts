import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../embedded/api/certificate.ts';
import type { AgentFacts, DoctorFacts } from '../gather/doctor-facts.ts';
import type { ClusterEvent } from '../gather/events.ts';
import type { OurPod } from '../gather/our-pods.ts';
import { diagnose } from './diagnose.ts';

const NOW = Date.now();

const pod = (more: Partial<OurPod> = {}): OurPod => ({
  namespace: 'dynamic-networks',
  name: 'agent-x',
  node: 'node-a',
  component: 'agent',
  image: 'r/dynamic-networks:1.0.0',
  isReady: true,
  isLeaving: false,
  why: '',
  ...more,
});

const agent = (more: Partial<AgentFacts> = {}): AgentFacts => ({
  pod: pod(),
  parts: { apiServer: 'ok', multus: 'ok', containerRuntime: 'ok' },
  unreachable: undefined,
  ledger: [],
  addresses: { reserved: 3, leaked: [] },
  ...more,
});

const workload = {
  namespace: 'dynamic-networks',
  name: 'agents',
  image: 'r/dynamic-networks:1.0.0',
  args: [],
  wanted: 2,
  ready: 2,
};

const well: DoctorFacts = {
  serverVersion: 'v1.34.0',
  cliVersion: '1.0.0',
  hasNetworks: true,
  installation: { agents: workload, controller: undefined },
  agents: [agent()],
  controllers: [],
  pods: [],
  nodeEvents: [],
  webhooks: [],
  access: [{ account: 'a', right: 'get pods', isAllowed: true }],
  allocations: [],
};

const leak = (host: string) => ({
  network: 'blue',
  address: `10.0.0.${host}`,
  containerId: 'gone',
  interface: 'net1',
});

const nodeEvent = (reason: string): ClusterEvent => ({
  resourceVersion: '1',
  key: `default/${reason}`,
  namespace: 'default',
  kind: 'Node',
  name: 'node-a',
  uid: 'node-a',
  type: 'Warning',
  reason,
  message: 'told',
  count: 1,
  source: 'dynamic-networks',
  lastSeen: undefined,
});

const bad = (facts: Partial<DoctorFacts>) =>
  diagnose({ ...well, ...facts }, NOW)
    .filter(({ level }) => level !== 'ok')
    .map(({ level, check, message }) => `${level} ${check}: ${message}`);

describe('the doctor', () => {
  it('finds nothing where all is well', () => {
    expect(bad({})).toEqual([]);
    expect(diagnose(well, NOW)).toContainEqual({
      check: 'host-local addresses',
      level: 'ok',
      message: '3 given out, all to sandboxes that exist',
    });
  });

  it('gives a remedy with everything that is not well', () => {
    const ill = {
      ...well,
      hasNetworks: false,
      installation: { agents: undefined, controller: undefined },
      access: undefined,
      webhooks: undefined,
      pods: undefined,
    };
    for (const finding of diagnose(ill, NOW)) {
      if (finding.level !== 'ok') expect(finding.remedy, finding.check).toBeTruthy();
    }
  });

  const held = {
    namespace: 'shop',
    pod: 'web',
    uid: 'u',
    interface: 'b0',
    network: 'shop/blue',
    state: 'removing',
    isOrphan: true,
  };
  it.each<[string, Partial<DoctorFacts>, string[]]>([
    [
      'an old API server',
      { serverVersion: 'v1.28.3' },
      ['warning API server: v1.28.3: before 1.29 the kubelet does not tell when a sandbox was replaced'],
    ],
    [
      'no Multus',
      { hasNetworks: false },
      ['failure Multus definitions: the CRD network-attachment-definitions.k8s.cni.cncf.io is missing'],
    ],
    [
      'no agents',
      { installation: { agents: undefined, controller: undefined }, agents: [] },
      ['failure agents: no DaemonSet of the agents was found'],
    ],
    [
      'an agent that is not ready',
      { installation: { agents: { ...workload, ready: 1 }, controller: undefined } },
      ['failure agents: 1 of 2 ready'],
    ],
    [
      'a Multus that is down',
      { agents: [agent({ parts: { multus: 'connect ENOENT', containerRuntime: 'ok' } })] },
      ['failure Multus socket: node node-a: connect ENOENT'],
    ],
    [
      'a runtime that is down',
      { agents: [agent({ parts: { multus: 'ok', containerRuntime: 'unavailable' } })] },
      ['failure CRI socket: node node-a: unavailable'],
    ],
    [
      'an agent that crashes',
      {
        agents: [agent({ pod: pod({ isReady: false, why: 'CrashLoopBackOff' }), parts: undefined, ledger: undefined })],
      },
      [
        'failure agent of node node-a: agent-x is CrashLoopBackOff',
        'unknown ledger: 1 of 1 agents cannot be asked for theirs',
      ],
    ],
    [
      'an agent that may not be asked',
      { agents: [agent({ parts: undefined, unreachable: 'forbidden', ledger: undefined })] },
      [
        'unknown agent of node node-a: agent-x does not answer through the API server: forbidden',
        'unknown ledger: 1 of 1 agents cannot be asked for theirs',
      ],
    ],
    [
      'no controller replica',
      { installation: { agents: workload, controller: { ...workload, ready: 0 } } },
      ['failure controller: 0 of 2 ready'],
    ],
    [
      'one controller replica',
      { installation: { agents: workload, controller: { ...workload, ready: 1 } } },
      ['warning controller: 1 of 2 ready'],
    ],
    [
      'two versions',
      { agents: [agent({ pod: pod({ image: 'r/dynamic-networks:0.9.0' }) })] },
      ['warning versions: several at once: 1.0.0, 0.9.0'],
    ],
    [
      'another version of this program',
      { cliVersion: '2.0.0' },
      ['warning versions: the cluster runs 1.0.0, this program is 2.0.0'],
    ],
    [
      'events of agents on their node, of which only some are about the ledger',
      { nodeEvents: ['ReleaseFailing', 'SomethingElse'].map(nodeEvent) },
      ['warning ledger: node node-a: ReleaseFailing: told'],
    ],
    [
      'a missing right',
      { access: [{ account: 'a', right: 'patch pods/status', isAllowed: false }] },
      ['failure rights of the agents: a may not: patch pods/status'],
    ],
    [
      'a webhook without certificate',
      { webhooks: [{ configuration: 'c', webhook: 'w', caBundle: '' }] },
      ['failure webhook certificate: c, w: no caBundle, so every call of it fails'],
    ],
    [
      'a webhook with nonsense',
      { webhooks: [{ configuration: 'c', webhook: 'w', caBundle: 'x' }] },
      ['failure webhook certificate: c, w: the caBundle is no certificate'],
    ],
    [
      'an interface that cannot be released',
      { agents: [agent({ ledger: [held] })] },
      ['warning ledger: node node-a: b0 on shop/blue of shop/web, which is gone, is not released yet'],
    ],
    [
      'an address of whereabouts without a pod',
      { allocations: [{ pool: '10.0.0.0/24', podRef: 'shop/web', offset: '7' }] },
      ['warning whereabouts addresses: 1 given out to pods that do not exist: 10.0.0.0/24 +7 (shop/web)'],
    ],
    [
      'addresses of host-local without a sandbox',
      { agents: [agent({ addresses: { reserved: 7, leaked: ['2', '3', '4', '5', '6', '7'].map(leak) } })] },
      [
        'warning host-local addresses: 6 given out to sandboxes that do not exist: ' +
          ['2', '3', '4', '5', '6'].map((host) => `10.0.0.${host} of blue on node node-a`).join(', ') +
          ' and 1 more',
      ],
    ],
    [
      'an agent that cannot be asked for addresses',
      { agents: [agent(), agent({ addresses: undefined })] },
      ['unknown host-local addresses: 1 of 2 agents cannot be asked for those of their nodes'],
    ],
    [
      'pods that may not be read',
      { pods: undefined, allocations: undefined },
      ['unknown interfaces: you may not read all pods'],
    ],
  ])('finds %s', (_name, facts, expected) => {
    expect(bad(facts)).toEqual(expected);
  });

  it('says until when the certificate of a webhook is trusted, and complains in time', async () => {
    const { certPem } = await makeCertificate();
    const webhooks = [{ configuration: 'c', webhook: 'w', caBundle: certPem }];
    const at = (ms: number) => diagnose({ ...well, webhooks }, ms).find(({ check }) => check === 'webhook certificate');
    const until = Date.parse(`${/until (.*)/.exec(at(NOW)?.message ?? '')?.[1]}T00:00:00Z`);
    expect(at(NOW)?.level).toBe('ok');
    expect(at(until - 3 * 86_400_000)?.level).toBe('warning');
    expect(at(until + 2 * 86_400_000)?.level).toBe('failure');
  });
});
