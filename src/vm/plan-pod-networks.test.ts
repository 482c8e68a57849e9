import { describe, expect, it } from 'vitest';
import { NO_PLUGINS, viewBindingPlugins } from './binding-plugins.ts';
import { planLivePodNetworks, planTargetPodNetworks, renderNewPodNetworks } from './plan-pod-networks.ts';
import { bridge, bridged, masquerade, multus, podNetwork, reported, spec, sriov, status } from './test-machines.ts';

const networks = [podNetwork, multus('blue'), multus('red', 'other/nad-red')];
const interfaces = [masquerade, bridge('red', { macAddress: '02:00:00:00:00:02' }), bridge('blue')];
const BOTH =
  '[{"name":"nad-red","namespace":"other","mac":"02:00:00:00:00:02","interface":"podb1f51a511f1"},{"name":"nad-blue","namespace":"ns1","interface":"pod16477688c0e"}]';
const ORDINAL =
  '[{"name":"nad-blue","namespace":"ns1","interface":"net1"},{"name":"nad-red","namespace":"other","mac":"02:00:00:00:00:02","interface":"net2"}]';

const of = (machine: ReturnType<typeof spec>, plugins = NO_PLUGINS) => ({ namespace: 'ns1', spec: machine, plugins });
const live = (
  machine: ReturnType<typeof spec>,
  more: { status?: readonly object[]; reported?: readonly string[]; text?: string } = {},
) =>
  planLivePodNetworks({
    ...of(machine),
    status: status(...(more.status ?? [])),
    reported: reported(...(more.reported ?? [])),
    networksText: more.text,
  });

describe('the annotation of a new pod', () => {
  it('is, byte for byte, what KubeVirt writes: in the order of the interfaces', () => {
    expect(renderNewPodNetworks(of(spec(networks, interfaces)))).toEqual({ ok: true, text: BOTH });
  });

  it.each([
    ['only the pod network is there', spec([podNetwork], [masquerade]), ''],
    ['there is no network at all', spec([], []), ''],
    [
      'an absent interface is left out',
      spec(
        [podNetwork, multus('blue'), multus('red')],
        [masquerade, bridge('blue', { state: 'absent' }), bridge('red')],
      ),
      '[{"name":"nad-red","namespace":"ns1","interface":"podb1f51a511f1"}]',
    ],
    [
      'the default network is one of Multus',
      spec(
        [{ name: 'default', multus: { networkName: 'ovn', default: true } }, multus('blue')],
        [bridge('default'), bridge('blue')],
      ),
      '[{"name":"nad-blue","namespace":"ns1","interface":"pod16477688c0e"}]',
    ],
    ['an interface without a network is left out', spec([podNetwork], [masquerade, bridge('blue')]), ''],
    [
      'one network is used twice',
      spec([multus('blue', 'n'), multus('red', 'n')], [bridge('blue'), bridge('red')]),
      '[{"name":"n","namespace":"ns1","interface":"pod16477688c0e"},{"name":"n","namespace":"ns1","interface":"podb1f51a511f1"}]',
    ],
    [
      'characters are escaped as Go escapes them',
      spec([multus('blue', 'a<b>&\u2028')], [bridge('blue')]),
      '[{"name":"a\\u003cb\\u003e\\u0026\\u2028","namespace":"ns1","interface":"pod16477688c0e"}]',
    ],
    [
      'only the first slash divides',
      spec([multus('blue', 'a/b/c')], [bridge('blue')]),
      '[{"name":"b/c","namespace":"a","interface":"pod16477688c0e"}]',
    ],
  ])('%s', (_situation, machine, text) => {
    expect(renderNewPodNetworks(of(machine))).toEqual({ ok: true, text });
  });

  const plugins = viewBindingPlugins({
    spec: {
      configuration: {
        network: { binding: { pl: { networkAttachmentDefinition: 'kube-system/plug-net' }, bare: {} } },
      },
    },
  });

  it('has the network of a binding plugin right after the interface that uses it', () => {
    const machine = spec(
      [podNetwork, multus('x', 'x'), multus('pl1', 'y')],
      [{ name: 'default', binding: { name: 'bare' } }, bridge('x'), { name: 'pl1', binding: { name: 'pl' } }],
    );
    expect(renderNewPodNetworks(of(machine, plugins))).toEqual({
      ok: true,
      text: expect.stringMatching(
        /^\[\{"name":"x".*\{"name":"y".*\{"name":"plug-net","namespace":"kube-system","cni-args":\{"logicNetworkName":"pl1"\}\}\]$/,
      ),
    });
  });

  it('cannot be made with a plugin that is not registered', () => {
    const machine = spec([podNetwork], [{ name: 'default', binding: { name: 'gone' } }]);
    expect(renderNewPodNetworks(of(machine, plugins))).toMatchObject({
      ok: false,
      problem: { reason: 'UnknownBindingPlugin', message: expect.stringContaining('"gone"') },
    });
  });
});

describe('the annotation of a pod that runs', () => {
  const known = [{ name: 'default' }, { name: 'red' }, { name: 'blue' }];

  it('gets a hot-plugged interface at its end; an SR-IOV one waits for a migration', () => {
    const machine = spec([...networks, multus('green'), multus('sr1')], [...interfaces, bridge('green'), sriov('sr1')]);
    expect(live(machine, { status: known, text: BOTH })).toEqual({
      ok: true,
      text: `${BOTH.slice(0, -1)},{"name":"nad-green","namespace":"ns1","interface":"podba4788b226a"}]`,
    });
  });

  it('loses an interface at once when it is to be unplugged; the last one leaves an empty text', () => {
    const machine = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', { state: 'absent' })]);
    expect(live(machine, { status: known, text: BOTH })).toEqual({ ok: true, text: '' });
  });

  it.each([
    ['nothing is to come or to go', spec(networks, interfaces), '[ ]'],
    ['only an SR-IOV interface is missing', spec([...networks, multus('sr1')], [...interfaces, sriov('sr1')]), 'x'],
  ])('is left as somebody wrote it when %s', (_situation, machine, text) => {
    expect(live(machine, { status: known, text })).toEqual({ ok: true, text });
  });

  it('keeps what others put into an element that stays, but the MAC address is the spec’s', () => {
    const text = JSON.stringify([
      {
        name: 'nad-red',
        namespace: 'other',
        interface: 'podb1f51a511f1',
        mac: '02:00:00:00:00:99',
        'ipam-claim-reference': 'vm.red',
        ips: ['10.0.0.9/24'],
        extra: 1,
      },
      { name: 'moved', namespace: 'ns1', interface: 'pod16477688c0e', ips: ['10.0.0.8/24'] },
    ]);
    const machine = spec([...networks, multus('green')], [...interfaces, bridge('green')]);
    expect(live(machine, { status: known, text })).toEqual({
      ok: true,
      text:
        '[{"name":"nad-red","namespace":"other","ips":["10.0.0.9/24"],"mac":"02:00:00:00:00:02","interface":"podb1f51a511f1","ipam-claim-reference":"vm.red","extra":1},' +
        '{"name":"nad-blue","namespace":"ns1","interface":"pod16477688c0e"},{"name":"nad-green","namespace":"ns1","interface":"podba4788b226a"}]',
    });
  });

  it('has ordinal names on an ordinal pod, and those that it has do not move', () => {
    const machine = spec([...networks, multus('green')], [...interfaces, bridge('green')]);
    const plan = live(machine, { status: known, reported: ['net1', 'net2'], text: ORDINAL });
    expect(plan).toEqual({
      ok: true,
      text:
        '[{"name":"nad-red","namespace":"other","mac":"02:00:00:00:00:02","interface":"net2"},' +
        '{"name":"nad-blue","namespace":"ns1","interface":"net1"},{"name":"nad-green","namespace":"ns1","interface":"net3"}]',
    });
  });
});

describe('the annotation of a migration target', () => {
  const target = (machine: ReturnType<typeof spec>, ...source: string[]) =>
    planTargetPodNetworks({ ...of(machine), networksText: undefined, sourceReported: reported(...source) });

  it('has the same hashed names as the source, SR-IOV included', () => {
    const machine = spec([...networks, multus('sr1')], [...interfaces, sriov('sr1')]);
    expect(target(machine, 'podb1f51a511f1')).toEqual({
      ok: true,
      text: `${BOTH.slice(0, -1)},{"name":"nad-sr1","namespace":"ns1","interface":"pod0b2a3687b87"}]`,
    });
  });

  it('has the ordinal names of an ordinal source, byte for byte as KubeVirt writes them', () => {
    expect(target(spec(networks, interfaces), 'net1', 'net2')).toEqual({ ok: true, text: ORDINAL });
  });

  it('keeps the place of an absent interface on an ordinal target, and leaves it out of a hashed one', () => {
    const machine = spec(
      bridged('blue', 'red').networks.map(({ raw }) => raw),
      [masquerade, bridge('blue', { state: 'absent' }), bridge('red')],
    );
    expect(target(machine, 'net1')).toMatchObject({ text: expect.stringContaining('"net2"') });
    expect(target(machine)).toMatchObject({
      text: '[{"name":"nad-red","namespace":"ns1","interface":"podb1f51a511f1"}]',
    });
  });
});
