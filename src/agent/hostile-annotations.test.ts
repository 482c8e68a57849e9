// The whole reconcile on pods whose annotation nobody can understand: what exists must stay, whatever the text is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodRecord } from '../model/attachment-record.ts';
import { podKey } from '../model/keys.ts';
import { formatNetworkStatus } from '../model/network-status.ts';
import { parseNetworks } from '../model/parse-networks.ts';
import type { Pod } from '../model/pod.ts';
import { defaultEntry, entry, record } from '../model/test-builders.ts';
import { hostileText, RUNS } from '../test-hostile.ts';
import { DriftSchedule } from './drift-schedule.ts';
import type { AgentDeps, Log, StatusChange } from './ports.ts';
import { makeReconcilePod } from './reconcile-pod.ts';
import { RetrySchedule } from './retry-schedule.ts';

const key = podKey('shop', 'web');
const reported = [defaultEntry, entry('blue@net1'), entry('red@data0')];

const podWith = (networksText: string): Pod => ({
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

/** An agent whose world holds this one pod; `commands` is what reached Multus, `changes` what reached the API. */
const agentFor = (pod: Pod) => {
  const commands: string[] = [];
  const changes: StatusChange[] = [];
  const saved: (PodRecord | undefined)[] = [];
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
  const reconcile = () => makeReconcilePod(deps)(key, silent, new AbortController().signal);
  return { commands, changes, saved, reconcile };
};

describe('a reconcile of a pod whose annotation cannot be understood', () => {
  it('plugs nothing, unplugs nothing, keeps its records and network-status, and says why', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(hostileText([{ name: 'green', interface: 'x' }, { name: 'blue' }]), async (text) => {
        if (parseNetworks(text, 'shop').ok) return;
        refused += 1;
        const agent = agentFor(podWith(text));
        const outcome = await agent.reconcile();
        expect(agent.commands).toEqual([]);
        expect(agent.saved).toEqual([]);
        expect(outcome).toEqual({ kind: 'done' });
        expect(agent.changes).toHaveLength(1);
        expect(agent.changes[0]).not.toHaveProperty('entries');
        expect(agent.changes[0]?.condition).toMatchObject({ status: 'False', reason: 'InvalidNetworks' });
        expect(agent.changes[0]?.reports?.map(({ interface: name, ready }) => [name, ready])).toEqual([
          ['net1', true],
          ['data0', true],
        ]);
      }),
      RUNS,
    );
    expect(refused).toBeGreaterThan(2000);
  });

  it('the same pod with a sound annotation is unplugged: the test could see it', async () => {
    const agent = agentFor(podWith('blue@net1'));
    await agent.reconcile();
    expect(agent.commands).toEqual(['DEL data0']);
  });
});
