import { describe, expect, it } from 'vitest';
import { planHandling } from './virt-handler-plan.ts';
import type { InterfaceStatus, Vmi, VmiInterface } from './vm-objects.ts';

const vmi = (options: {
  readonly phase: string;
  readonly interfaces?: readonly VmiInterface[];
  readonly status?: readonly InterfaceStatus[];
  readonly deletionTimestamp?: string;
}): Vmi => {
  const { phase, interfaces = [{ name: 'default' }], status, deletionTimestamp } = options;
  return {
    metadata: {
      name: 'vm',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '7',
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      domain: { devices: { interfaces } },
      networks: interfaces.map(({ name }) =>
        name === 'default' ? { name } : { name, multus: { networkName: `nad-${name}` } },
      ),
    },
    status: { phase, selinuxContext: 'none', ...(status !== undefined && { interfaces: status }) },
  };
};

const blue = { name: 'blue', podInterfaceName: 'pod16477688c0e' };
const both = [{ name: 'default' }, { name: 'blue' }];
const written = (one: Vmi): unknown =>
  planHandling(one).find((step) => step.path === '/status/interfaces' && step.op === 'add');

describe('planHandling', () => {
  it.each([
    ['a machine that is not scheduled yet', vmi({ phase: 'Scheduling' })],
    ['a machine that is over', vmi({ phase: 'Failed' })],
    ['a machine that is being deleted', vmi({ phase: 'Scheduled', deletionTimestamp: '2026-01-01T00:00:00Z' })],
    [
      'a running machine in which nothing changed',
      vmi({ phase: 'Running', status: [{ name: 'default', infoSource: 'domain' }] }),
    ],
  ])('writes nothing into %s', (_name, one) => {
    expect(planHandling(one)).toEqual([]);
  });

  it('starts a scheduled machine, on the very version that it saw', () => {
    expect(planHandling(vmi({ phase: 'Scheduled' }))).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'add', path: '/status/phase', value: 'Running' },
    ]);
  });

  it.each([
    [
      'what the pod has comes into the guest',
      both,
      [{ ...blue, infoSource: 'multus-status' }],
      [{ ...blue, infoSource: 'domain, multus-status' }],
    ],
    [
      'what is to be absent leaves the guest, and stays while the pod has it',
      [{ name: 'default' }, { name: 'blue', state: 'absent' }],
      [{ ...blue, infoSource: 'domain, multus-status' }],
      [{ ...blue, infoSource: 'multus-status' }],
    ],
    [
      'what is to be absent goes when the pod has lost it',
      [{ name: 'default' }, { name: 'blue', state: 'absent' }],
      [
        { name: 'default', infoSource: 'domain' },
        { ...blue, infoSource: 'domain' },
      ],
      [{ name: 'default', infoSource: 'domain' }],
    ],
    [
      'the pod network is in the guest without Multus',
      both,
      [{ name: 'default' }],
      [{ name: 'default', infoSource: 'domain' }],
    ],
  ])('%s', (_name, interfaces, status, planned) => {
    expect(written(vmi({ phase: 'Running', interfaces, status }))).toMatchObject({ value: planned });
  });

  it('keeps in the guest what the pod lost without being asked', () => {
    expect(
      written(vmi({ phase: 'Running', interfaces: both, status: [{ ...blue, infoSource: 'domain' }] })),
    ).toBeUndefined();
  });
});
