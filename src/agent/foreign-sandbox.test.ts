// Multus answers an ADD with an interface in somebody else's network namespace.
import { expect, it } from 'vitest';
import type { AttachmentRecord } from '../model/attachment-record.ts';
import { podKey } from '../model/keys.ts';
import type { Pod } from '../model/pod.ts';
import { record } from '../model/test-builders.ts';
import { attachInterface } from './attach-interface.ts';
import { DriftSchedule } from './drift-schedule.ts';
import type { AgentDeps } from './ports.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { WorkingSet } from './working-set.ts';

const pod: Pod = {
  key: podKey('shop', 'web'),
  namespace: 'shop',
  name: 'web',
  uid: 'uid-1',
  runtimeUid: 'uid-1',
  resourceVersion: '1',
  networksText: 'blue@net1',
  statusText: '[]',
  interfacesText: undefined,
  phase: 'Running',
  hostIps: [],
  isHostNetwork: false,
  isDeleting: false,
  hasEnded: false,
  isLauncherPod: false,
  hasReadinessGate: false,
  hasSandbox: true,
  sandboxMark: 'mark',
  condition: undefined,
};
const adding: AttachmentRecord = record('blue@net1', { state: 'adding', netns: '/run/netns/mine', entries: [] });
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined };

const attach = async (sandbox: string) => {
  const commands: string[] = [];
  const deps: AgentDeps = {
    pods: { find: () => pod, refresh: async () => pod },
    networks: { find: () => undefined, fetch: async () => undefined },
    sandboxes: {
      get: async () => ({ id: 'sandbox-1', netns: '/run/netns/mine' }),
      isReady: async () => true,
      forget: () => undefined,
      heldDevices: async () => new Set(),
    },
    delegate: {
      add: async () => ({ interfaces: [{ name: 'net1', sandbox }], ips: [], routes: [], dns: {} }),
      del: async ({ netns }) => void commands.push(`DEL ${netns}`),
      check: async () => undefined,
    },
    ledger: { find: () => undefined, findByKey: () => [], save: async () => undefined, remove: async () => undefined },
    writeStatus: async () => undefined,
    events: { onPod: () => undefined, onNode: () => undefined },
    nodeConfig: {
      rules: async () => ({ isNamespaceIsolated: false, globalNamespaces: [], defaultNetworks: new Set() }),
      findConfig: async () => undefined,
    },
    findCreationConfig: async () => undefined,
    retries: new RetrySchedule({ minMs: 1, maxMs: 2, random: () => 0 }, () => 0),
    drift: new DriftSchedule({ intervalMs: 0, now: () => 0, random: () => 0 }),
    self: { namespace: 'dynamic-networks', name: 'agent', uid: 'agent' },
    deviceAttachments: 'keep',
    settleMs: 1000,
    now: () => 0,
  };
  const work = new WorkingSet(deps.ledger, pod);
  work.put(adding);
  const context = { deps, log: silent, signal: new AbortController().signal };
  return { result: await attachInterface(context, { pod, record: adding, work }), commands, records: work.records };
};

it('is taken for a failure and undone in the pod that was meant', async () => {
  const { result, commands, records } = await attach('/run/netns/somebody-else');
  expect(result).toMatchObject({
    error: { kind: 'delegateFailed', message: expect.stringMatching(/another sandbox/) },
  });
  expect(result.record).toBeUndefined();
  expect(commands).toEqual(['DEL /run/netns/mine']);
  expect(records).toMatchObject([{ state: 'removed', entries: [] }]);
});

it('the right sandbox is no failure: the test could see it', async () => {
  const { result, commands } = await attach('/var/run/netns/mine');
  expect(result).toMatchObject({ record: { state: 'added' } });
  expect(commands).toEqual([]);
});
