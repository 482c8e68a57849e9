// One row per case of the design's table "what the agent does with each case", as far as planning decides it.
import { describe, expect, it } from 'vitest';
import type { AttachmentRecord } from './attachment-record.ts';
import type { StatusEntry } from './network-status.ts';
import { observeAttachments } from './observe-attachments.ts';
import { type Plan, type PlanPolicy, planAttachments } from './plan-attachments.ts';
import { defaultEntry, type Element, elements, entry, policy, record } from './test-builders.ts';

interface Situation {
  readonly desired?: readonly Element[];
  readonly reported?: readonly StatusEntry[];
  readonly records?: readonly AttachmentRecord[];
  readonly policy?: Partial<PlanPolicy>;
}

const planFor = ({ desired = [], reported = [], records = [], policy: rules }: Situation): Plan =>
  planAttachments(elements(...desired), observeAttachments([defaultEntry, ...reported], records), policy(rules));

/** The plan in words: `- net1 unwanted`, `+ net1 on shop/blue`, `= net1`, `! InterfaceNameTaken`. */
const inWords = (plan: Plan): string[] => [
  ...plan.detach.map(({ target, cause }) => `- ${target.interface} ${cause}`),
  ...plan.attach.map(({ interface: name, selection }) => `+ ${name} on ${selection.network}`),
  ...plan.keep.map(({ target, notice }) =>
    notice ? `= ${target.interface} ${notice.reason}` : `= ${target.interface}`,
  ),
  ...plan.refuse.map(({ reason, interface: name }) => `! ${name ?? 'unnamed'} ${reason}`),
];

describe('planAttachments', () => {
  it.each<[string, Situation, string[]]>([
    ['nothing wanted and nothing there: nothing to do', {}, []],
    ['an element more: plugged', { desired: ['blue@data0'] }, ['+ data0 on shop/blue']],
    ['an unnamed element more: the lowest free ordinal', { desired: ['blue'] }, ['+ net1 on shop/blue']],
    [
      'an element in both, nothing changed: nothing',
      { desired: ['blue@data0'], reported: [entry('blue@data0')] },
      ['= data0'],
    ],
    [
      'a hot-plugged element in both, nothing changed: nothing',
      { desired: ['blue@data0'], records: [record('blue@data0')] },
      ['= data0'],
    ],
    [
      'the annotation is gone: everything but the default network is unplugged, last first',
      { reported: [entry('blue@net1'), entry('red@net2')], records: [record('red@net2')] },
      ['- net2 unwanted', '- net1 unwanted'],
    ],
    [
      'one of several interfaces on one network is removed: only that one',
      { desired: ['blue@a', 'blue@c'], reported: [entry('blue@a'), entry('blue@b'), entry('blue@c')] },
      ['- b unwanted', '= a', '= c'],
    ],
    [
      'a name moves to another network: the old one goes first',
      { desired: ['red@data0'], reported: [entry('blue@data0')] },
      ['- data0 moved', '+ data0 on shop/red'],
    ],
    [
      'two names are swapped: both go, in reverse of reported order, then both come',
      { desired: ['red@a', 'blue@b'], reported: [entry('blue@a'), entry('red@b')] },
      ['- b moved', '- a moved', '+ a on shop/red', '+ b on shop/blue'],
    ],
    [
      'an unnamed element takes over the ordinal of one that leaves',
      { desired: ['red'], reported: [entry('blue@net1')] },
      ['- net1 moved', '+ net1 on shop/red'],
    ],
    [
      'attributes of a hot-plugged element changed: replaced once',
      { desired: [['blue@data0', { ips: ['10.0.0.6'] }]], records: [record('blue@data0')] },
      ['- data0 changed', '+ data0 on shop/blue'],
    ],
    [
      'cni-args of a hot-plugged element changed: replaced once',
      {
        desired: [['blue@data0', { cniArgs: { a: 2 } }]],
        records: [record('blue@data0', { attributes: { cniArgs: { a: 1 } } })],
      },
      ['- data0 changed', '+ data0 on shop/blue'],
    ],
    [
      'the address of one attached at pod creation changed: told, not done',
      { desired: [['blue@net1', { ips: ['10.0.0.6'] }]], reported: [entry('blue@net1', { ips: ['10.0.0.5'] })] },
      ['= net1 AttributesChanged'],
    ],
    [
      'the MAC address of one attached at pod creation changed: told, not done',
      {
        desired: [['blue@net1', { mac: '02:00:00:00:00:0b' }]],
        reported: [entry('blue@net1', { mac: '02:00:00:00:00:0a' })],
      },
      ['= net1 AttributesChanged'],
    ],
    [
      'an address in another notation is no change',
      { desired: [['blue@net1', { ips: ['FD00:0::5/64'] }]], reported: [entry('blue@net1', { ips: ['fd00::5'] })] },
      ['= net1'],
    ],
    [
      'an address was asked for, but the status tells of none: nothing can be said',
      { desired: [['blue@net1', { ips: ['10.0.0.5'] }]], reported: [entry('blue@net1')] },
      ['= net1'],
    ],
    [
      'the status still reports what the ledger knows to be removed: plugged again',
      {
        desired: ['blue@data0'],
        reported: [entry('blue@data0')],
        records: [record('blue@data0', { state: 'removed' })],
      },
      ['+ data0 on shop/blue'],
    ],
    [
      'an element wants the name of the default interface: refused',
      { desired: ['blue@eth0'] },
      ['! eth0 InterfaceNameTaken'],
    ],
    [
      'an unnamed element on a launcher pod: refused',
      { desired: ['blue'], policy: { isLauncherPod: true } },
      ['! unnamed InterfaceNameRequired'],
    ],
    [
      'an unnamed element on a launcher pod that came with it: kept',
      { desired: ['blue'], reported: [entry('blue@net1')], policy: { isLauncherPod: true } },
      ['= net1'],
    ],
    [
      'a named element on a launcher pod: plugged',
      { desired: ['blue@pod16477688c0e'], policy: { isLauncherPod: true } },
      ['+ pod16477688c0e on shop/blue'],
    ],
    [
      'a default route: cannot be given later',
      { desired: [['blue@a', { defaultRoute: ['10.0.0.1'] }]] },
      ['! a NotHotPluggable'],
    ],
    [
      'one element is refused: the others proceed',
      { desired: ['sriov@a', 'blue@b'] },
      ['+ b on shop/blue', '! a NotHotPluggable'],
    ],
    [
      'regression: the old holder of a name whose new user is refused is unwanted, not moved',
      { desired: ['sriov@data0'], reported: [entry('blue@data0')] },
      ['- data0 unwanted', '! data0 NotHotPluggable'],
    ],
  ])('%s', (_, situation, expected) => {
    expect(inWords(planFor(situation))).toEqual(expected);
  });

  it.each([
    ['hyphens', '02-00-00-00-00-0A'],
    ['dots', '0200.0000.000a'],
  ])('regression: a MAC address written with %s is not taken for a change', (_, mac) => {
    const reported = [entry('blue@net1', { mac: '02:00:00:00:00:0a' })];
    expect(inWords(planFor({ desired: [['blue@net1', { mac }]], reported }))).toEqual(['= net1']);
  });
});

describe('planAttachments: networks of a device plugin', () => {
  const device = entry('blue@net1', { 'device-info': { type: 'pci' } });

  it.each<[string, Situation, string[]]>([
    [
      'gone from the annotation, its network names a resource: stays, with a notice',
      { reported: [entry('sriov@net1')] },
      ['= net1 DeviceAttachmentKept'],
    ],
    [
      'gone from the annotation, its entry has device-info: stays, with a notice',
      { reported: [device] },
      ['= net1 DeviceAttachmentKept'],
    ],
    [
      'gone from the annotation, devices are managed: unplugged',
      { reported: [device, entry('sriov@net2')], policy: { deviceAttachments: 'manage' } },
      ['- net2 unwanted', '- net1 unwanted'],
    ],
    ['hot-plugged and gone from the annotation: unplugged', { records: [record('sriov@net1')] }, ['- net1 unwanted']],
    [
      'its name is wanted for another network: refused, and the device stays',
      { desired: ['red@net1'], reported: [device] },
      ['= net1 DeviceAttachmentKept', '! net1 InterfaceNameTaken'],
    ],
    [
      'its ordinal is not given to an unnamed element',
      { desired: ['red'], reported: [device] },
      ['+ net2 on shop/red', '= net1 DeviceAttachmentKept'],
    ],
    ['to be plugged without naming a device: refused', { desired: ['sriov@net1'] }, ['! net1 NotHotPluggable']],
    [
      'to be plugged with a device that it names: plugged',
      { desired: [['sriov@net1', { deviceId: '0000:65:00.2' }]] },
      ['+ net1 on shop/sriov'],
    ],
    [
      'a hot-plugged one loses its device in the annotation: kept as it is, with a notice',
      { desired: ['sriov@net1'], records: [record('sriov@net1', { attributes: { deviceId: '0000:65:00.2' } })] },
      ['= net1 NotHotPluggable'],
    ],
  ])('%s', (_, situation, expected) => {
    expect(inWords(planFor(situation))).toEqual(expected);
  });
});

describe('planAttachments: what people are told', () => {
  it.each<[string, Situation, RegExp]>([
    [
      'a changed attribute names the interface, both values and the way out',
      { desired: [['blue@net1', { ips: ['10.0.0.6'] }]], reported: [entry('blue@net1', { ips: ['10.0.0.5'] })] },
      /^interface net1 on shop\/blue was attached at pod creation, .* requested "10\.0\.0\.6"; to apply the change, remove/,
    ],
    ['a missing device names the resource', { desired: ['sriov@a'] }, /shop\/sriov needs a device of intel\.com\/vf/],
    [
      'an unnamed element on a launcher pod is named by its position',
      { desired: ['red@a', 'blue'], policy: { isLauncherPod: true } },
      /^element 2 on shop\/blue names no interface/,
    ],
    [
      'a default route names the field',
      { desired: [['blue@a', { defaultRoute: ['10.0.0.1'] }]] },
      /^element 1 on shop\/blue asks for default-route/,
    ],
  ])('%s', (_, situation, expected) => {
    const { keep, refuse } = planFor(situation);
    expect([...refuse, ...keep.flatMap(({ notice }) => notice ?? [])].map(({ message }) => message)).toEqual([
      expect.stringMatching(expected),
    ]);
  });
});
