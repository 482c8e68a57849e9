// What holds for every machine, whatever its template asks for and however far it has come.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNetworkStatus, type StatusEntry } from '../model/network-status.ts';
import { deepFreeze } from '../model/test-builders.ts';
import { NO_PLUGINS } from './binding-plugins.ts';
import { hasInfoSource } from './info-source.ts';
import { isOrdinalName, schemeOf, secondaryNames } from './interface-names.ts';
import { parseRequests } from './interface-requests.ts';
import { type InterfaceStatus, parseInterfaceStatus } from './interface-status.ts';
import type { NetworkSpec } from './network-spec.ts';
import { elementsIn } from './networks-annotation.ts';
import { planInterfaceRequests } from './plan-interface-requests.ts';
import { hasSameStatus, planInterfaceStatus } from './plan-interface-status.ts';
import { planNetworkInfo } from './plan-network-info.ts';
import { planLivePodNetworks, planTargetPodNetworks } from './plan-pod-networks.ts';
import { planTemplateCleanup, planVmiSpec } from './plan-vmi-spec.ts';
import { composeReadyText, planReadyStates } from './ready-report.ts';
import { primaryEntry, reread, spec } from './test-machines.ts';

const NAMES = ['blue', 'red', 'green', 'sr1', 'sr2'];
const bindings = fc.constantFrom({ bridge: {} }, { sriov: {} }, { masquerade: {} });
const states = fc.constantFrom<object>({}, {}, {}, { state: 'absent' }, { state: 'down' });

/** Any part of the networks, their interfaces in any order. */
const specs: fc.Arbitrary<NetworkSpec> = fc
  .tuple(
    fc.shuffledSubarray(NAMES),
    fc.boolean(),
    fc.array(fc.tuple(bindings, states), { minLength: NAMES.length, maxLength: NAMES.length }),
    fc.array(fc.double({ noNaN: true }), { minLength: NAMES.length + 1, maxLength: NAMES.length + 1 }),
  )
  .map(([names, hasPrimary, shapes, order]) => {
    const networks = names.map((name) => ({ name, multus: { networkName: `nad-${name}` } }));
    const interfaces = names.map((name, index) => ({ name, ...shapes[index]?.[0], ...shapes[index]?.[1] }));
    const primary = hasPrimary ? [{ name: 'default', pod: {} }] : [];
    const ifaces = [...(hasPrimary ? [{ name: 'default', masquerade: {} }] : []), ...interfaces];
    const sorted = ifaces
      .map((iface, index) => ({ iface, key: order[index] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ iface }) => iface);
    return spec([...primary, ...networks], sorted);
  });

const statuses: fc.Arbitrary<readonly InterfaceStatus[]> = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('default', ...NAMES, 'stranger'),
      infoSource: fc.constantFrom(undefined, 'domain', 'multus-status', 'domain, guest-agent, multus-status'),
      podInterfaceName: fc.constantFrom(undefined, 'net1', 'podabc', 'eth0'),
      mac: fc.constantFrom(undefined, '02:00:00:00:00:01'),
    }),
    { selector: ({ name }) => name },
  )
  .map((entries) => parseInterfaceStatus(JSON.parse(JSON.stringify(entries))).entries);

interface Situation {
  readonly template: NetworkSpec;
  readonly spec: NetworkSpec;
  readonly status: readonly InterfaceStatus[];
  readonly reported: readonly StatusEntry[];
}

const situations: fc.Arbitrary<Situation> = fc
  .record({
    template: specs,
    spec: specs,
    status: statuses,
    isOrdinal: fc.boolean(),
    plugged: fc.shuffledSubarray(NAMES),
  })
  .map(({ isOrdinal, plugged, ...rest }) => {
    const names = secondaryNames(rest.spec.networks, isOrdinal ? 'ordinal' : 'hashed');
    const reported = plugged.flatMap((network): StatusEntry[] => {
      const iface = names.get(network);
      const device = network.startsWith('sr')
        ? { 'device-info': { type: 'pci', pci: { 'pci-address': '0000:00:00.1' } } }
        : {};
      return iface === undefined ? [] : [{ name: `ns1/nad-${network}`, interface: iface, dns: {}, ...device }];
    });
    return deepFreeze({ ...rest, reported: [primaryEntry, ...reported] });
  });

const always = (check: (situation: Situation) => void) => fc.assert(fc.property(situations, check), { numRuns: 300 });
const policy = { followsPrimaryName: true, reportsSecondaries: true };
const live = (situation: Situation, networksText: string | undefined) =>
  planLivePodNetworks({ ...situation, namespace: 'ns1', networksText, plugins: NO_PLUGINS });
const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

// Every input is frozen deeply: a plan that changed one would throw.
describe('a plan that was carried out', () => {
  it('leaves nothing to do for the running machine’s spec, but to plug again what was wanted back while it was unplugged', () => {
    always(({ template, spec: machine, status }) => {
      const apply = (before: NetworkSpec): NetworkSpec => {
        const { lists } = planVmiSpec({ template, spec: before, status });
        return lists === undefined ? before : reread(lists);
      };
      const once = apply(machine);
      const twice = apply(once);
      expect(planVmiSpec({ template, spec: twice, status }).lists).toBeUndefined();
      const added = namesOf(twice.interfaces).filter((name) => !namesOf(once.interfaces).includes(name));
      for (const name of added) expect(machine.interfaces.find((iface) => iface.name === name)?.isAbsent).toBe(true);
    });
  });

  it('leaves nothing to clean in the template', () => {
    always(({ template, spec: machine, status }) => {
      const lists = planTemplateCleanup(template, { interfaces: machine.interfaces, status });
      if (lists !== undefined)
        expect(planTemplateCleanup(reread(lists), { interfaces: machine.interfaces, status })).toBeUndefined();
    });
  });

  it('leaves the status and the annotation as they are', () => {
    always((situation) => {
      const after = planInterfaceStatus({
        networks: situation.spec.networks,
        status: situation.status,
        reported: situation.reported,
        policy,
      });
      const again = planInterfaceStatus({
        networks: situation.spec.networks,
        status: after,
        reported: situation.reported,
        policy,
      });
      expect(hasSameStatus(after, again)).toBe(true);
      const text = live(situation, undefined);
      expect(text.ok && live(situation, text.text)).toEqual(text);
    });
  });

  it('ends the requests of a machine after a second look at the latest, but for those that wait for an unplug', () => {
    const requests = fc.array(
      fc.oneof(
        fc.record({
          addInterfaceOptions: fc.record({
            name: fc.constantFrom(...NAMES, 'default'),
            networkAttachmentDefinitionName: fc.constantFrom('nad-blue', 'x'),
          }),
          persist: fc.boolean(),
        }),
        fc.record({
          removeInterfaceOptions: fc.record({ name: fc.constantFrom(...NAMES, 'default') }),
          persist: fc.boolean(),
        }),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(situations, requests, fc.boolean(), ({ template, spec: machine, status }, asked, isRunning) => {
        let state = { template, machine, asked: asked as readonly unknown[] };
        for (let look = 0; look <= asked.length; look += 1) {
          const plan = planInterfaceRequests({
            requests: parseRequests(state.asked),
            template: state.template,
            machine: isRunning ? { spec: state.machine, status } : undefined,
          });
          state = {
            template: plan.template === undefined ? state.template : reread(plan.template),
            machine: plan.machine === undefined ? state.machine : reread(plan.machine),
            asked: plan.remaining,
          };
          expect([...state.template.problems, ...state.machine.problems]).toEqual([]);
        }
        const waiting = [...state.template.interfaces, ...state.machine.interfaces].filter(({ isAbsent }) => isAbsent);
        for (const request of parseRequests(state.asked)) {
          expect(request.ok && namesOf(waiting)).toContain(request.ok && request.request.name);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a plan', () => {
  it('is the same for the same situation, and for another order of what the pod reports', () => {
    always((situation) => {
      const shuffled = { ...situation, reported: [...situation.reported].reverse() };
      const all = (given: Situation) => [
        planVmiSpec(given),
        planInterfaceStatus({ networks: given.spec.networks, status: given.status, reported: given.reported, policy }),
        live(given, 'x'),
        planNetworkInfo({ ...given, plugins: NO_PLUGINS }),
      ];
      expect(all(shuffled)).toEqual(all(situation));
    });
  });

  it('never takes an interface from a running machine unless it was absent and is out of the status', () => {
    always(({ template, spec: machine, status }) => {
      const { lists } = planVmiSpec({ template, spec: machine, status });
      if (lists === undefined) return;
      const lost = machine.interfaces.filter(({ name }) => !namesOf(lists.interfaces).includes(name));
      for (const { name } of lost) expect(namesOf(status)).not.toContain(name);
      expect(namesOf(lists.networks).sort()).toEqual(namesOf(lists.interfaces).sort());
    });
  });

  it('never renames what an ordinal pod has, and gives no ordinal name to another', () => {
    always((situation) => {
      const isOrdinal = schemeOf(situation.reported) === 'ordinal';
      const plans = [
        live(situation, undefined),
        planTargetPodNetworks({
          ...situation,
          namespace: 'ns1',
          networksText: undefined,
          sourceReported: situation.reported,
          plugins: NO_PLUGINS,
        }),
      ];
      for (const plan of plans) {
        for (const element of elementsIn(plan.ok ? plan.text : undefined)) {
          const iface = String(element['interface']);
          expect(isOrdinalName(iface)).toBe(isOrdinal);
          const before = situation.reported.find((entry) => entry.interface === iface);
          if (before !== undefined) expect(`ns1/${element['name']}`).toBe(before.name);
        }
      }
    });
  });

  it('keeps every entry and every field of others in the status, and says multus-status of what the pod has, only', () => {
    always(({ spec: { networks }, status, reported }) => {
      const after = planInterfaceStatus({ networks, status, reported, policy });
      for (const { name, raw } of status) {
        const { infoSource: _source, podInterfaceName: _name, ...others } = raw;
        expect(after.find((entry) => entry.name === name)?.raw).toMatchObject(others);
      }
      for (const [network, iface] of secondaryNames(networks, schemeOf(reported))) {
        const has = reported.some((entry) => entry.interface === iface);
        expect(hasInfoSource(after.find((entry) => entry.name === network)?.infoSource, 'multus-status')).toBe(has);
      }
    });
  });

  it('reports each secondary interface once, and stays the same text while nothing changes', () => {
    always(({ template, spec: machine, status, reported }) => {
      const { refusals } = planVmiSpec({ template, spec: machine, status });
      const pod = { reported, interfacesText: undefined };
      const told = planReadyStates({ spec: machine, status, pod, refusals });
      expect(new Set(namesOf(told)).size).toBe(told.length);
      const text = composeReadyText(told, undefined, 'T1');
      expect(composeReadyText(told, text, 'T2')).toBe(text);
      expect(formatNetworkStatus(reported)).toContain('eth0');
    });
  });
});
