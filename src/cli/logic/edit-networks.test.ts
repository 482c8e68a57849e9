import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podKey } from '../../model/keys.ts';
import { parseNetworks } from '../../model/parse-networks.ts';
import type { Pod } from '../../model/pod.ts';
import { plugInto, unplugFrom } from './edit-networks.ts';
import { previewPlan } from './preview-plan.ts';

const pod = (networksText: string | undefined, entries: readonly object[] = []): Pod => ({
  key: podKey('shop', 'web'),
  namespace: 'shop',
  name: 'web',
  uid: 'u',
  runtimeUid: 'u',
  resourceVersion: '1',
  networksText,
  statusText: JSON.stringify([{ name: 'podnet', interface: 'eth0', default: true }, ...entries]),
  interfacesText: undefined,
  phase: 'Running',
  hostIps: [],
  isHostNetwork: false,
  isDeleting: false,
  hasEnded: false,
  isLauncherPod: false,
  hasReadinessGate: false,
  hasSandbox: true,
  sandboxMark: '',
  condition: undefined,
});

const has = (network: string, iface: string) => ({ name: `shop/${network}`, interface: iface });

describe('plugging', () => {
  it.each([
    ['no annotation', undefined, '[{"name":"blue","interface":"net1"}]'],
    ['a short form', 'red@r0', '[{"name":"red","interface":"r0"},{"name":"blue","interface":"net1"}]'],
    ['an unnamed element that will be net1', 'red', '[{"name":"red"},{"name":"blue","interface":"net2"}]'],
    [
      'fields that we do not know',
      '[{"name":"red","interface":"r0","ipam-claim-reference":"c","x":{"y":1}}]',
      '[{"name":"red","interface":"r0","ipam-claim-reference":"c","x":{"y":1}},{"name":"blue","interface":"net1"}]',
    ],
  ])('after %s adds one element and changes nothing else', (_name, text, expected) => {
    expect(plugInto(pod(text), { network: 'blue' }).text).toBe(expected);
  });

  it.each([
    ['the default network', 'eth0', /default network/],
    ['the loopback', 'lo', /loopback/],
    ['an interface that is about to be unplugged', 'old0', /about to be unplugged/],
    ['another element', 'r0', /it is on shop\/red/],
  ])('does not take the name of %s', (_name, iface, message) => {
    const target = pod('red@r0', [has('red', 'r0'), has('green', 'old0')]);
    expect(() => plugInto(target, { network: 'blue', interface: iface })).toThrow(message);
  });

  it('does not touch an annotation that cannot be understood', () => {
    expect(() => plugInto(pod('[{'), { network: 'blue' })).toThrow(/cannot be understood/);
    expect(() => unplugFrom(pod('[{'), 'net1')).toThrow(/cannot be understood/);
  });
});

describe('plugging and unplugging, whatever is there', () => {
  const element = fc.record(
    { name: fc.constantFrom('red', 'green', 'blue'), interface: fc.constantFrom('a0', 'b0', 'c0', 'd0') },
    { requiredKeys: ['name'] },
  );
  const annotation = fc.uniqueArray(element, { maxLength: 4, selector: (each) => each.interface ?? Math.random() });

  it('what was plugged can be unplugged, and the annotation then asks for what it asked for', () => {
    fc.assert(
      fc.property(annotation, (elements) => {
        const before = pod(JSON.stringify(elements));
        const plugged = plugInto(before, { network: 'blue' });
        const after = unplugFrom(pod(plugged.text), plugged.interface);
        expect(networksOf(after.text)).toEqual(networksOf(before.networksText));
      }),
    );
  });

  it('by the planner, a plug attaches that one interface, and an unplug detaches that one', () => {
    fc.assert(
      fc.property(annotation, (elements) => {
        const names = plugInto(pod(JSON.stringify(elements)), { network: 'blue' });
        expect(names.interface).toMatch(/^net\d$/);
        const desired = parseNetworks(JSON.stringify(elements), 'shop');
        if (!desired.ok) throw new Error('the generated annotation is sound');
        const fresh = previewPlan({
          pod: pod(undefined),
          networksText: JSON.stringify(elements),
          definitions: new Map(),
        });
        const entries =
          fresh.state === 'planned'
            ? fresh.steps.map((step) => ({ name: step.network, interface: step.interface }))
            : [];
        const settled = pod(JSON.stringify(elements), entries);
        const plug = plugInto(settled, { network: 'blue' });
        expect(changes(settled, plug.text)).toEqual([`attach ${plug.interface}`]);
        for (const { interface: name } of entries) {
          expect(changes(settled, unplugFrom(settled, name).text)).toEqual([`detach ${name}`]);
        }
      }),
    );
  });
});

const networksOf = (text: string | undefined) => {
  const parsed = parseNetworks(text, 'shop');
  return parsed.ok ? parsed.selections.map(({ network }) => network) : parsed.problems;
};

const changes = (target: Pod, networksText: string | undefined): string[] => {
  const preview = previewPlan({ pod: target, networksText, definitions: new Map() });
  return preview.state === 'planned'
    ? preview.steps.filter(({ action }) => action !== 'keep').map((step) => `${step.action} ${step.interface}`)
    : [preview.reason];
};
