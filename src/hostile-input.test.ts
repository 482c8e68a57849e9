// 10,000 hostile inputs for every parser at the edge. The seed is fixed and printed by fast-check when a property fails.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { devicesIn, findNetns } from '../cri/sandbox-info.ts';
import { viewNetworkDefinition } from './kube/network-definition-view.ts';
import { viewPod } from './kube/pod-view.ts';
import { parsePodFile } from './ledger/record-schema.ts';
import { renderConfig } from './model/cni-config.ts';
import { statusEntriesOf } from './model/cni-result.ts';
import { hasSameEntries } from './model/compose-status.ts';
import { KnownError } from './model/errors.ts';
import { parseReports } from './model/interface-report.ts';
import { canonicalJson } from './model/json.ts';
import { findNetworkName } from './model/keys.ts';
import { interfaceNameProblem, requestSignature } from './model/network-selection.ts';
import { formatNetworkStatus, parseNetworkStatus } from './model/network-status.ts';
import { parseNetworks } from './model/parse-networks.ts';
import { stageOf } from './model/pod.ts';
import { defaultEntry, entry, network, record } from './model/test-builders.ts';
import { parseAddReply } from './multus/delegate-reply.ts';
import { hostileText, hostileValue, RUNS } from './test-hostile.ts';

const properties = Object.getOwnPropertyNames(Object.prototype).sort();
afterAll(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(properties);
  expect({}).not.toHaveProperty('polluted');
});

/** The value, or undefined when it was refused with one of the errors that the parser documents. */
const unlessRefused = <T>(parse: () => T, isDocumented: (error: unknown) => boolean): T | undefined => {
  try {
    return parse();
  } catch (error) {
    if (isDocumented(error)) return undefined;
    throw error;
  }
};

const isParseError = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.name === '$ZodError');

const check = <T>(arbitrary: fc.Arbitrary<T>, predicate: (input: T) => void) =>
  fc.assert(fc.property(arbitrary, predicate), RUNS);

const element = {
  name: 'blue',
  namespace: 'infra',
  interface: 'data0',
  ips: ['10.0.0.5/24', 'fd00::5'],
  mac: '02:00:00:00:00:01',
  portMappings: [{ hostPort: 80, containerPort: 8080 }],
  bandwidth: { ingressRate: 1 },
  deviceID: '0000:65:00.2',
  'cni-args': { a: { b: 1 } },
  'default-route': ['10.0.0.1'],
};

describe('hostile input', () => {
  it('annotations are read whole, or every problem is named', () => {
    let sound = 0;
    check(hostileText([element, { name: 'red' }]), (text) => {
      const parsed = parseNetworks(text, 'shop');
      if (!parsed.ok) {
        expect(parsed.problems.length).toBeGreaterThan(0);
        for (const { message } of parsed.problems) expect(message.isWellFormed() && message.length < 600).toBe(true);
        return;
      }
      sound += 1;
      for (const { network: name, interface: iface, attributes } of parsed.selections) {
        expect(findNetworkName(name)).toBe(name);
        if (iface !== undefined) expect(interfaceNameProblem(iface)).toBeUndefined();
        expect(requestSignature(attributes)).toMatch(/^\{/);
      }
    });
    expect(sound).toBeGreaterThan(500); // else the generator is too wild to get past the first check
  });

  it('network-status is read whole, or said to be unreadable', () => {
    let sound = 0;
    check(hostileText([defaultEntry, entry('blue@net1', { mac: 'x', 'device-info': { pci: {} } })]), (text) => {
      const parsed = parseNetworkStatus(text);
      if (parsed.state !== 'read') return;
      sound += 1;
      const again = parseNetworkStatus(formatNetworkStatus(parsed.entries));
      expect(again.state === 'read' && hasSameEntries(again.entries, parsed.entries)).toBe(true);
      for (const { name, ips } of parsed.entries)
        expect([typeof name, Array.isArray(ips ?? [])]).toEqual(['string', true]);
    });
    expect(sound).toBeGreaterThan(500);
  });

  it('reports of our own that somebody edited are read as far as they are reports', () => {
    check(hostileText([{ interface: 'a', network: 'b', ready: true, since: 'now' }]), (text) => {
      for (const report of parseReports(text)) expect(canonicalJson(report)).toMatch(/"since":"/);
    });
  });

  it.each([
    [
      'a plugin',
      { cniVersion: '0.3.1', name: 'n', type: 'bridge', capabilities: { bandwidth: true }, args: { cni: {} } },
    ],
    ['a list', { name: 'n', plugins: [{ type: 'bridge', capabilities: { bandwidth: true } }, { type: 'tuning' }] }],
  ])('configs of %s are rendered whole, or refused by name', (_, sound) => {
    let rendered = 0;
    const requested = { bandwidth: { ingressRate: 1 }, deviceId: 'x', cniArgs: { a: 1 }, ips: ['10.0.0.5'] };
    check(hostileText(sound), (text) => {
      const refused = (error: unknown) => error instanceof KnownError;
      const result = unlessRefused(() => renderConfig(network('blue'), text, requested), refused);
      if (result === undefined) return;
      rendered += 1;
      expect(JSON.parse(result.config)).toMatchObject({ name: expect.stringMatching(/./) });
      expect(result.attributes).toEqual({ ips: ['10.0.0.5'] });
    });
    expect(rendered).toBeGreaterThan(500);
  });

  it('answers to ADD become entries, or are refused', () => {
    const sound = {
      Result: {
        interfaces: [{ name: 'br0' }, { name: 'net1', mac: 'x', mtu: 1500, sandbox: '/ns' }],
        ips: [{ address: '10.0.0.5/24', interface: 1 }],
        routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }],
        dns: { nameservers: ['10.0.0.1'] },
      },
    };
    let accepted = 0;
    check(hostileText(sound), (text) => {
      const result = unlessRefused(() => parseAddReply(text), isParseError);
      if (result === undefined) return;
      accepted += 1;
      const entries = statusEntriesOf(network('blue'), 'net1', result);
      expect(parseNetworkStatus(formatNetworkStatus(entries)).state).toBe('read');
    });
    expect(accepted).toBeGreaterThan(500);
  });

  it('what runtimes tell of sandboxes and containers is understood or ignored', () => {
    const sound = {
      runtimeSpec: {
        linux: { namespaces: [{ type: 'pid' }, { type: 'network', path: '/run/netns/1' }] },
        process: { env: ['PCIDEVICE_A=1,2', 'PATH=/bin'] },
      },
    };
    check(hostileText(sound), (text) => {
      expect(typeof (findNetns({ info: text }) ?? '')).toBe('string');
      expect(devicesIn({ info: text }).every((id) => typeof id === 'string')).toBe(true);
    });
  });

  it('ledger files are understood whole, or refused', () => {
    const sound = {
      version: 1,
      namespace: 'shop',
      name: 'web',
      uid: 'u',
      sandboxMark: '',
      attachments: [{ ...record('blue@net1'), deviceId: 'x', unsettledUntilMs: 5 }],
    };
    let accepted = 0;
    check(hostileText(sound), (text) => {
      const parsed = unlessRefused(() => parsePodFile(text), isParseError);
      if (parsed === undefined) return;
      accepted += 1;
      expect(parsePodFile(JSON.stringify(parsed))).toEqual(parsed);
      for (const { network: name } of parsed.attachments) expect(findNetworkName(name)).toBe(name);
    });
    expect(accepted).toBeGreaterThan(200);
  });
});

describe('hostile objects of the API', () => {
  const metadata = {
    namespace: 'shop',
    name: 'web',
    uid: 'u',
    resourceVersion: '5',
    annotations: { a: 'b' },
    labels: {},
  };

  it('pods are seen whole, or not at all', () => {
    const conditions = [
      { type: 'dynamic-networks.io/NetworksReady', status: 'True' },
      { type: 'PodReadyToStartContainers' },
    ];
    const status = { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }], conditions, containerStatuses: [{ state: {} }] };
    check(hostileValue({ metadata, spec: { readinessGates: [{}], hostNetwork: true }, status }), (object) => {
      const pod = viewPod(object);
      if (pod === undefined) return;
      for (const text of [pod.key, pod.namespace, pod.name, pod.uid, pod.resourceVersion]) expect(text).not.toBe('');
      for (const text of [pod.runtimeUid, pod.phase, pod.sandboxMark]) expect(typeof text).toBe('string');
      expect(['starting', 'running', 'stopping', 'ended']).toContain(stageOf(pod));
    });
  });

  it('networks are seen whole, or not at all', () => {
    check(hostileValue({ metadata, spec: { config: '{}' } }), (object) => {
      const seen = viewNetworkDefinition(object);
      if (seen === undefined) return;
      expect([typeof seen.network, typeof seen.config, typeof seen.resourceVersion]).toEqual([
        'string',
        'string',
        'string',
      ]);
    });
  });
});
