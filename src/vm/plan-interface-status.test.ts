import { describe, expect, it } from 'vitest';
import { hasSameStatus, planInterfaceStatus, withReady } from './plan-interface-status.ts';
import { bridged, multus, podNetwork, reported, spec, status } from './test-machines.ts';

const all = { followsPrimaryName: true, reportsSecondaries: true };
const plan = (
  machine: ReturnType<typeof spec>,
  before: readonly object[],
  interfaces: readonly string[],
  policy = all,
) =>
  planInterfaceStatus({
    networks: machine.networks,
    status: status(...before),
    reported: reported(...interfaces),
    policy,
  }).map(({ raw }) => raw);

const [BLUE, RED] = ['pod16477688c0e', 'podb1f51a511f1'];

describe('status.interfaces', () => {
  it('is what KubeVirt writes: the primary, then the secondaries in the order of the networks', () => {
    expect(plan(bridged('blue', 'red'), [], [RED, BLUE])).toEqual([
      { name: 'default', podInterfaceName: 'eth0' },
      { name: 'blue', podInterfaceName: BLUE, infoSource: 'multus-status' },
      { name: 'red', podInterfaceName: RED, infoSource: 'multus-status' },
    ]);
  });

  it.each([
    [
      'keeps what others know of an interface',
      [{ name: 'blue', mac: '02:aa', ipAddress: '10.0.0.1', infoSource: 'domain, guest-agent', queueCount: 1 }],
      [BLUE],
      {
        name: 'blue',
        mac: '02:aa',
        ipAddress: '10.0.0.1',
        queueCount: 1,
        podInterfaceName: BLUE,
        infoSource: 'domain, guest-agent, multus-status',
      },
    ],
    [
      'takes multus-status back when the pod lost the interface, and keeps the entry',
      [{ name: 'blue', podInterfaceName: BLUE, infoSource: 'domain, multus-status' }],
      [],
      { name: 'blue', podInterfaceName: BLUE, infoSource: 'domain' },
    ],
    [
      'leaves an entry without a source when nobody knows of the interface any more',
      [{ name: 'blue', podInterfaceName: BLUE, infoSource: 'multus-status' }],
      [],
      { name: 'blue', podInterfaceName: BLUE },
    ],
    [
      'completes an entry that another program wrote half-way',
      [{ name: 'blue', infoSource: 'multus-status' }],
      [BLUE],
      { name: 'blue', infoSource: 'multus-status', podInterfaceName: BLUE },
    ],
    [
      'has ordinal names on an ordinal pod',
      [],
      ['net1'],
      { name: 'blue', podInterfaceName: 'net1', infoSource: 'multus-status' },
    ],
  ])('%s', (_situation, before, interfaces, expected) => {
    expect(plan(bridged('blue'), before, interfaces)).toEqual([
      { name: 'default', podInterfaceName: 'eth0' },
      expected,
    ]);
  });

  it('has no entry for an interface that the pod does not have yet', () => {
    expect(plan(bridged('blue'), [], [])).toEqual([{ name: 'default', podInterfaceName: 'eth0' }]);
  });

  it('keeps entries that are in no spec, after its own', () => {
    const guest = { interfaceName: 'docker0', infoSource: 'guest-agent', mac: '02:42' };
    expect(plan(bridged('blue'), [guest, { name: 'old' }], [BLUE]).slice(2)).toEqual([guest, { name: 'old' }]);
  });

  it('says nothing of a primary network where there is none', () => {
    expect(plan(spec([multus('blue')], []), [], [BLUE])).toEqual([
      { name: 'blue', podInterfaceName: BLUE, infoSource: 'multus-status' },
    ]);
  });

  it('takes the primary interface’s name from the pod', () => {
    const renamed = { name: 'podnet', interface: 'ens3', default: true, dns: {} };
    const only = {
      networks: spec([podNetwork], []).networks,
      reported: [renamed],
      status: status({ name: 'default', podInterfaceName: 'eth0', mac: '02:bb' }),
    };
    const raws = (policy: typeof all) => planInterfaceStatus({ ...only, policy }).map(({ raw }) => raw);
    expect(raws(all)).toEqual([{ name: 'default', podInterfaceName: 'ens3', mac: '02:bb' }]);
    expect(raws({ followsPrimaryName: false, reportsSecondaries: true })).toEqual([
      { name: 'default', podInterfaceName: 'eth0', mac: '02:bb' },
    ]);
  });

  it('touches the primary entry alone when secondaries are not ours to report', () => {
    const foreign = { name: 'blue', infoSource: 'domain' };
    expect(plan(bridged('blue'), [foreign], [BLUE], { followsPrimaryName: true, reportsSecondaries: false })).toEqual([
      { name: 'default', podInterfaceName: 'eth0' },
      foreign,
    ]);
  });

  it('is the same in another order, and another with another value', () => {
    const [one, two] = [{ name: 'a', mac: '1' }, { name: 'b' }];
    expect(hasSameStatus(status(one, two), status(two, one))).toBe(true);
    expect(hasSameStatus(status(one, two), status({ ...one, mac: '2' }, two))).toBe(false);
    expect(hasSameStatus(status(one), status(one, two))).toBe(false);
  });

  it('says which interfaces are ready, for a schema that has the field', () => {
    const entries = withReady(status({ name: 'default' }, { name: 'blue' }, { name: 'red' }), [
      { name: 'blue', ready: true },
      { name: 'red', ready: false },
    ]);
    expect(entries.map(({ raw }) => raw)).toEqual([
      { name: 'default' },
      { name: 'blue', ready: true },
      { name: 'red', ready: false },
    ]);
  });
});
