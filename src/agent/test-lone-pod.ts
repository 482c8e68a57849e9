// An agent whose world holds one pod, with an interface from its creation and a hot-plugged one. What reaches Multus, the
// ledger, the API and people is kept for tests to look at; any part of the world can be replaced.
import type { PodRecord } from '../model/attachment-record.ts';
import { podKey } from '../model/keys.ts';
import { formatNetworkStatus } from '../model/network-status.ts';
import type { Pod } from '../model/pod.ts';
import { defaultEntry, entry, record } from '../model/test-builders.ts';
import { DriftSchedule } from './drift-schedule.ts';
import type { AgentDeps, Log, PodEvent, StatusChange } from './ports.ts';
import { makeReconcilePod } from './reconcile-pod.ts';
import { RetrySchedule } from './retry-schedule.ts';

const key = podKey('shop', 'web');
const reported = [defaultEntry, entry('blue@net1'), entry('red@data0')];

export const podWith = (networksText: string): Pod => ({
  key,
  namespace: 'shop',
  name: 'web',
  uid: 'uid-1',
  runtimeUid: 'uid-1',
  resourceVersion: '1',
  networksText,
  statusText: formatNetworkStatus(reported),
  interfacesText: undefined,
  phase: 'Running',
  hostIps: ['192.168.1.10'],
  isHostNetwork: false,
  isDeleting: false,
  hasEnded: false,
  isLauncherPod: false,
  hasReadinessGate: false,
  hasSandbox: true,
  sandboxMark: 'mark',
  condition: undefined,
});

const stored: PodRecord = {
  version: 1,
  namespace: 'shop',
  name: 'web',
  uid: 'uid-1',
  sandboxMark: 'mark',
  attachments: [record('red@data0')],
};

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

export const agentFor = (pod: Pod, world: Partial<AgentDeps> = {}) => {
  const commands: string[] = [];
  const changes: StatusChange[] = [];
  const saved: (PodRecord | undefined)[] = [];
  const events: PodEvent[] = [];
  const deps: AgentDeps = {
    pods: { find: () => pod, refresh: async () => pod },
    networks: {
      find: (network) => ({ network, config: '{"type":"bridge"}' }),
      fetch: async () => undefined,
    },
    sandboxes: {
      get: async () => ({ id: 'sandbox-1', netns: '/run/netns/1' }),
      isReady: async () => true,
      forget: () => undefined,
      heldDevices: async () => new Set(),
    },
    delegate: {
      add: async (request) => {
        commands.push(`ADD ${request.interface}`);
        return { interfaces: [], ips: [], routes: [], dns: {} };
      },
      del: async (request) => void commands.push(`DEL ${request.interface}`),
      check: async () => undefined,
    },
    ledger: {
      find: () => stored,
      findByKey: () => [stored],
      save: async (changed) => void saved.push(changed),
      remove: async () => void saved.push(undefined),
    },
    writeStatus: async (_, change) => void changes.push(change),
    events: { onPod: (_, event) => void events.push(event), onNode: () => undefined },
    nodeConfig: {
      rules: async () => ({ isNamespaceIsolated: false, globalNamespaces: [], defaultNetworks: new Set() }),
      findConfig: async () => undefined,
    },
    creation: { findConfig: async () => undefined, findAttachments: async () => undefined },
    retries: new RetrySchedule({ minMs: 1, maxMs: 2, random: () => 0 }, () => 0),
    drift: new DriftSchedule({ intervalMs: 0, now: () => 0, random: () => 0 }),
    self: { namespace: 'dynamic-networks', name: 'agent', uid: 'agent' },
    deviceAttachments: 'keep',
    settleMs: 1000,
    now: () => 0,
    ...world,
  };
  const reconcile = () => makeReconcilePod(deps)(key, silent, new AbortController().signal);
  return { commands, changes, saved, events, reconcile };
};
