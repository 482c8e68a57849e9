import { describe, expect, it } from 'vitest';
import { composeReadyText, newTroubles, parseReadyReports, planReadyStates } from './ready-report.ts';
import { bridge, bridged, masquerade, multus, podNetwork, reported, spec, sriov, status } from './test-machines.ts';
import { problem } from './vm-problem.ts';

const BLUE = 'pod16477688c0e';
const agentSays = (ready: boolean, reason?: string, message?: string) =>
  JSON.stringify([{ interface: BLUE, network: 'ns1/nad-blue', ready, reason, message, since: 'T0' }]);

const states = (
  machine: ReturnType<typeof spec>,
  {
    interfaces = [] as string[],
    text = undefined as string | undefined,
    refusals = [] as Parameters<typeof planReadyStates>[0]['refusals'],
  } = {},
) =>
  planReadyStates({
    spec: machine,
    status: status(),
    pod: { reported: reported(...interfaces), interfacesText: text },
    refusals,
  });

describe('whether a machine’s interface is ready', () => {
  it.each([
    ['the pod has it and the agent says so', [BLUE], agentSays(true), { ready: true }],
    ['the pod has it and no agent says anything', [BLUE], undefined, { ready: true }],
    ['it is on its way', [], undefined, { ready: false, reason: 'PluggingInterface' }],
    [
      'the network does not exist: the agent’s reason is handed on',
      [],
      agentSays(false, 'NetworkNotFound', 'create it'),
      { ready: false, reason: 'NetworkNotFound', message: 'create it' },
    ],
    [
      'it failed after it was there',
      [BLUE],
      agentSays(false, 'FailedAddingInterface', 'gone'),
      { ready: false, reason: 'FailedAddingInterface' },
    ],
    ['what the agent wrote cannot be read', [BLUE], '{', { ready: true }],
  ])('when %s', (_situation, interfaces, text, expected) => {
    expect(states(bridged('blue'), { interfaces, ...(text !== undefined && { text }) })).toMatchObject([
      { name: 'blue', interface: BLUE, ...expected },
    ]);
  });

  it('an interface that is to go is not ready until the pod has lost it; then it is not told of', () => {
    const machine = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', { state: 'absent' })]);
    expect(states(machine, { interfaces: [BLUE] })).toMatchObject([{ ready: false, reason: 'UnpluggingInterface' }]);
    expect(states(machine)).toEqual([]);
  });

  it('a hot-plugged SR-IOV interface waits for a migration', () => {
    expect(states(spec([multus('sr1')], [sriov('sr1')]))).toMatchObject([
      { ready: false, reason: 'MigrationRequired' },
    ]);
  });

  it('a refused unplug leaves it ready, with the reason; a refused plug is told of though the machine lacks it', () => {
    const refusals = [
      { interface: 'blue', problem: problem('OrdinalInterfaceName', 'restart') },
      { interface: 'x', problem: problem('NotHotPluggable', 'restart') },
    ];
    expect(states(bridged('blue'), { interfaces: [BLUE], refusals })).toEqual([
      { name: 'blue', interface: BLUE, ready: true, reason: 'OrdinalInterfaceName', message: 'restart' },
      { name: 'x', interface: '', ready: false, reason: 'NotHotPluggable', message: 'restart' },
    ]);
  });

  it('nothing is ready without a pod', () => {
    expect(planReadyStates({ spec: bridged('blue'), status: [], pod: undefined, refusals: [] })).toMatchObject([
      { ready: false },
    ]);
  });
});

describe('the report', () => {
  const ready = { name: 'blue', interface: BLUE, ready: true };
  const failed = { ...ready, ready: false, reason: 'NetworkNotFound', message: 'a' };

  it('keeps the time of what did not change', () => {
    const first = composeReadyText([failed], undefined, 'T1');
    expect(composeReadyText([{ ...failed, message: 'b' }], first, 'T2')).toBe(
      JSON.stringify([{ ...failed, message: 'b', since: 'T1' }]),
    );
    expect(composeReadyText([ready], first, 'T2')).toBe(JSON.stringify([{ ...ready, since: 'T2' }]));
  });

  it.each(['{', 'null', '[1]', '[{"name":"blue"}]'])('is written anew when it says %j', (text) => {
    expect(parseReadyReports(text)).toEqual([]);
    expect(composeReadyText([ready], text, 'T1')).toBe(JSON.stringify([{ ...ready, since: 'T1' }]));
  });

  it('people hear of a reason once, and of nothing that is merely on its way', () => {
    const before = composeReadyText([failed], undefined, 'T1');
    expect(newTroubles([failed], undefined)).toEqual([failed]);
    expect(newTroubles([failed], before)).toEqual([]);
    expect(newTroubles([{ ...failed, reason: 'NetworkForbidden' }], before)).toHaveLength(1);
    expect(newTroubles([ready, { ...failed, reason: 'PluggingInterface' }], undefined)).toEqual([]);
  });
});
