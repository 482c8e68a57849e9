import { describe, expect, it } from 'vitest';
import { planTemplateCleanup, planVmiSpec } from './plan-vmi-spec.ts';
import { bridge, bridged, masquerade, multus, podNetwork, spec, sriov, status } from './test-machines.ts';

const [TWIN, OTHER_TWIN] = ['net-1377h', 'net-2vdnt'];
const hashed = (...names: readonly string[]) =>
  status({ name: 'default' }, ...names.map((name) => ({ name, podInterfaceName: `pod${name}` })));
const ordinal = (...names: readonly string[]) =>
  status({ name: 'default' }, ...names.map((name, index) => ({ name, podInterfaceName: `net${index + 1}` })));
const absent = { state: 'absent' };
const namesOf = (items: readonly { readonly name: string }[] | undefined) => items?.map(({ name }) => name);

describe('what a running machine takes over from its template', () => {
  it('is a new interface with its network, at the end of both lists', () => {
    const template = spec(
      [podNetwork, multus('green'), multus('blue')],
      [masquerade, bridge('green', { macAddress: '02:00:00:00:00:07' }), bridge('blue')],
    );
    const plan = planVmiSpec({ template, spec: bridged('blue'), status: hashed('blue') });
    expect(plan.refusals).toEqual([]);
    expect(namesOf(plan.lists?.networks)).toEqual(['default', 'blue', 'green']);
    expect(plan.lists?.interfaces.map(({ raw }) => raw)).toEqual([
      masquerade,
      bridge('blue'),
      bridge('green', { macAddress: '02:00:00:00:00:07' }),
    ]);
  });

  it('is an SR-IOV interface as well', () => {
    const template = spec([podNetwork, multus('sr1')], [masquerade, sriov('sr1')]);
    expect(namesOf(planVmiSpec({ template, spec: bridged(), status: [] }).lists?.interfaces)).toEqual([
      'default',
      'sr1',
    ]);
  });

  it('is that an interface is to go', () => {
    const template = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', absent)]);
    const plan = planVmiSpec({ template, spec: bridged('blue'), status: hashed('blue') });
    expect(plan.lists?.interfaces[1]?.raw).toEqual(bridge('blue', absent));
  });

  it('is a link state', () => {
    const template = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', { state: 'down' })]);
    const down = planVmiSpec({ template, spec: bridged('blue'), status: hashed('blue') });
    expect(down.lists?.interfaces[1]?.raw).toEqual(bridge('blue', { state: 'down' }));
    const up = planVmiSpec({ template: bridged('blue'), spec: template, status: hashed('blue') });
    expect(up.lists?.interfaces[1]?.raw).toEqual(bridge('blue'));
  });

  it.each([
    ['nothing differs', bridged('blue'), bridged('blue'), hashed('blue')],
    ['the template lost an interface without saying absent', bridged(), bridged('blue'), hashed('blue')],
    [
      'the template has an absent interface that the machine never had',
      spec([podNetwork, multus('blue')], [masquerade, bridge('blue', absent)]),
      bridged(),
      [],
    ],
    [
      'an interface that is to go is wanted again: absent is final',
      bridged('blue'),
      spec([podNetwork, multus('blue')], [masquerade, bridge('blue', absent)]),
      hashed('blue'),
    ],
    [
      'anything but the state changed',
      spec([podNetwork, multus('blue', 'else')], [masquerade, bridge('blue', { model: 'e1000' })]),
      bridged('blue'),
      hashed('blue'),
    ],
  ])('is nothing when %s', (_situation, template, machine, interfaces) => {
    expect(planVmiSpec({ template, spec: machine, status: interfaces })).toEqual({ refusals: [] });
  });

  it('drops an unplugged interface and its network once the status has lost it', () => {
    const machine = spec(
      [podNetwork, multus('blue'), multus('red')],
      [masquerade, bridge('blue', absent), bridge('red')],
    );
    expect(planVmiSpec({ template: machine, spec: machine, status: hashed('blue', 'red') }).lists).toBeUndefined();
    const { lists } = planVmiSpec({ template: machine, spec: machine, status: hashed('red') });
    expect(namesOf(lists?.interfaces)).toEqual(['default', 'red']);
    expect(namesOf(lists?.networks)).toEqual(['default', 'red']);
  });

  it.each([
    ['its pod has ordinal names', ordinal('blue')],
    ['no name in its pod is known yet', status({ name: 'default' })],
  ])('is refused an unplug when %s, and everything else is done', (_situation, interfaces) => {
    const template = spec(
      [podNetwork, multus('blue'), multus('red')],
      [masquerade, bridge('blue', absent), bridge('red')],
    );
    const plan = planVmiSpec({ template, spec: bridged('blue'), status: interfaces });
    expect(plan.refusals).toMatchObject([{ interface: 'blue', problem: { reason: 'OrdinalInterfaceName' } }]);
    expect(plan.lists?.interfaces.map(({ raw }) => raw)).toEqual([masquerade, bridge('blue'), bridge('red')]);
  });

  it('keeps the order of the networks on an ordinal pod, and takes that of the interfaces on a hashed one, as KubeVirt does', () => {
    const machine = spec([podNetwork, multus('blue'), multus('red')], [masquerade, bridge('red'), bridge('blue')]);
    const template = spec(
      [...machine.networks.map(({ raw }) => raw), multus('green')],
      [...machine.interfaces.map(({ raw }) => raw), bridge('green')],
    );
    const order = (interfaces: ReturnType<typeof status>) =>
      namesOf(planVmiSpec({ template, spec: machine, status: interfaces }).lists?.networks);
    expect(order(ordinal('blue', 'red'))).toEqual(['default', 'blue', 'red', 'green']);
    expect(order(hashed('blue', 'red'))).toEqual(['default', 'red', 'blue', 'green']);
  });

  it.each([
    [
      'has no network',
      spec([podNetwork], [masquerade, bridge('x')]),
      'InvalidInterfaces',
      /spec.template.spec.networks/,
    ],
    [
      'has a binding that cannot be plugged',
      spec([podNetwork, multus('x')], [masquerade, { name: 'x', masquerade: {} }]),
      'NotHotPluggable',
      /restart/,
    ],
    ['is on the pod network', spec([{ name: 'x', pod: {} }], [bridge('x')]), 'NotHotPluggable', /secondary/],
    [
      'would have a name that is taken',
      spec([podNetwork, multus(OTHER_TWIN)], [masquerade, bridge(OTHER_TWIN)]),
      'InterfaceNameCollision',
      /rename/,
    ],
  ])('leaves out, with a reason, an interface that %s', (_situation, template, reason, message) => {
    const plan = planVmiSpec({ template, spec: bridged(TWIN), status: hashed(TWIN) });
    expect(plan.lists).toBeUndefined();
    expect(plan.refusals).toMatchObject([{ problem: { reason, message: expect.stringMatching(message) } }]);
  });
});

describe('cleaning the template', () => {
  const template = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', absent)]);

  it.each([
    ['the machine still has it', { interfaces: bridged('blue').interfaces, status: [] }, undefined],
    ['the status still has it', { interfaces: bridged().interfaces, status: hashed('blue') }, undefined],
    ['it is gone from both', { interfaces: bridged().interfaces, status: hashed() }, ['default']],
    ['the machine does not run', undefined, ['default']],
  ])('an absent interface when %s', (_situation, machine, left) => {
    const lists = planTemplateCleanup(template, machine);
    expect(namesOf(lists?.interfaces)).toEqual(left);
    expect(namesOf(lists?.networks)).toEqual(left);
  });

  it('leaves a template without absent interfaces alone, whatever its order', () => {
    expect(planTemplateCleanup(bridged('blue'), undefined)).toBeUndefined();
  });
});
