// Virtual machines of every shape that KubeVirt and our gates must treat alike: how each starts, and what becomes of its
// template while it runs. The one table for recorded answers of KubeVirt's functions and for the real virt-controller.

export type Lists = { readonly networks: readonly object[]; readonly interfaces: readonly object[] };

export type Shape = {
  readonly title: string;
  readonly start: Lists;
  /** The template as it is edited while the machine runs. */
  readonly edited?: Lists;
  /** The pod is one of an old release, with names that follow the order of its networks. */
  readonly isOrdinal?: true;
  /** PCI addresses of devices by network. */
  readonly devices?: Readonly<Record<string, string>>;
  /** Binding plugins that are registered. */
  readonly plugins?: Readonly<Record<string, object>>;
  /** What virt-handler and the guest's agent have put into the status, by network. */
  readonly inGuest?: Readonly<Record<string, object>>;
  /** Whether it needs no more than the real cluster of the tests has: no old pods, devices or plugins. */
  readonly isForRealCluster: boolean;
};

const pod = { name: 'default', pod: {} };
const nat = { name: 'default', masquerade: {} };
const net = (name: string, networkName = `nad-${name}`): object => ({ name, multus: { networkName } });
const bridge = (name: string, more: object = {}): object => ({ name, bridge: {}, ...more });
const sriov = (name: string, more: object = {}): object => ({ name, sriov: {}, ...more });
const absent = { state: 'absent' };

/** The pod network, and these with a bridge each. */
const on = (...names: readonly string[]): Lists => ({
  networks: [pod, ...names.map((name) => net(name))],
  interfaces: [nat, ...names.map((name) => bridge(name))],
});

/** The same networks, with these interfaces. */
const withInterfaces = ({ networks }: Lists, ...interfaces: readonly object[]): Lists => ({ networks, interfaces });

/** The pod network, and these with a bridge each, all on one network. */
const sharing = (...names: readonly string[]): Lists => ({
  networks: [pod, ...names.map((name) => net(name, 'nad-blue'))],
  interfaces: [nat, ...names.map((name) => bridge(name))],
});

const real = { isForRealCluster: true } as const;
const unreal = { isForRealCluster: false } as const;

export const shapes: readonly Shape[] = [
  { title: 'the pod network only', start: on(), ...real },
  { title: 'no network at all', start: { networks: [], interfaces: [] }, ...unreal },
  { title: 'one secondary network', start: on('blue'), ...real },
  { title: 'three secondary networks', start: on('blue', 'red', 'green'), ...real },
  {
    title: 'interfaces in another order than networks',
    start: withInterfaces(on('blue', 'red', 'green'), bridge('green'), nat, bridge('red'), bridge('blue')),
    ...real,
  },
  {
    title: 'one network twice',
    start: {
      networks: [pod, net('one', 'nad-blue'), net('two', 'nad-blue')],
      interfaces: [nat, bridge('one'), bridge('two')],
    },
    ...real,
  },
  {
    title: 'a network of another namespace',
    start: { networks: [pod, net('far', 'default/nad-far')], interfaces: [nat, bridge('far')] },
    ...unreal,
  },
  {
    title: 'MAC addresses',
    start: withInterfaces(on('blue', 'red'), nat, bridge('blue', { macAddress: '02:00:00:00:99:01' }), bridge('red')),
    ...real,
  },
  {
    title: 'secondary networks without the pod network',
    start: { networks: [net('blue'), net('red')], interfaces: [bridge('blue'), bridge('red')] },
    ...real,
  },
  {
    title: 'a Multus network as the default one',
    start: {
      networks: [{ name: 'main', multus: { networkName: 'nad-main', default: true } }, net('blue')],
      interfaces: [bridge('main'), bridge('blue')],
    },
    ...unreal,
  },
  {
    title: 'a network that no interface uses',
    start: withInterfaces(on('blue', 'red'), nat, bridge('red')),
    ...unreal,
  },
  {
    title: 'names with capitals, dashes and dots',
    start: {
      networks: [pod, net('Net-1_a', 'nad-blue'), net('x'.repeat(40), 'nad-red')],
      interfaces: [nat, bridge('Net-1_a'), bridge('x'.repeat(40))],
    },
    ...real,
  },
  {
    title: 'an absent interface from the start',
    start: withInterfaces(on('blue', 'red'), nat, bridge('blue', absent), bridge('red')),
    ...unreal,
  },
  {
    title: 'a link that is down',
    start: withInterfaces(on('blue'), nat, bridge('blue', { state: 'down' })),
    edited: on('blue'),
    ...unreal,
  },
  { title: 'hot-plug of the first secondary', start: on(), edited: on('blue'), ...real },
  { title: 'hot-plug of one more', start: on('blue'), edited: on('blue', 'red'), ...real },
  { title: 'hot-plug of two at once', start: on('blue'), edited: on('blue', 'red', 'green'), ...real },
  {
    title: 'hot-plug on a network that is used already',
    start: { networks: [pod, net('one', 'nad-blue')], interfaces: [nat, bridge('one')] },
    edited: {
      networks: [pod, net('one', 'nad-blue'), net('two', 'nad-blue')],
      interfaces: [nat, bridge('one'), bridge('two')],
    },
    ...real,
  },
  {
    title: 'hot-plug with a MAC address',
    start: on('blue'),
    edited: withInterfaces(on('blue', 'red'), nat, bridge('blue'), bridge('red', { macAddress: '02:00:00:00:99:02' })),
    ...real,
  },
  {
    title: 'hot-plug in front of what is there',
    start: on('blue'),
    edited: { networks: [pod, net('red'), net('blue')], interfaces: [bridge('red'), nat, bridge('blue')] },
    ...real,
  },
  {
    title: 'hot-plug where interfaces and networks have different orders',
    start: withInterfaces(on('blue', 'red'), nat, bridge('red'), bridge('blue')),
    edited: withInterfaces(on('blue', 'red', 'green'), nat, bridge('red'), bridge('blue'), bridge('green')),
    ...real,
  },
  {
    title: 'hot-plug of a binding that cannot be hot-plugged',
    start: on('blue'),
    edited: withInterfaces(on('blue', 'red'), nat, bridge('blue'), { name: 'red', masquerade: {} }),
    ...unreal,
  },
  {
    title: 'hot-plug of an SR-IOV interface, which waits',
    start: on('blue'),
    edited: withInterfaces(on('blue', 'sr1'), nat, bridge('blue'), sriov('sr1')),
    ...unreal,
  },
  {
    title: 'unplug of one of two',
    start: on('blue', 'red'),
    edited: withInterfaces(on('blue', 'red'), nat, bridge('blue', absent), bridge('red')),
    ...real,
  },
  {
    title: 'unplug of the last one',
    start: on('blue'),
    edited: withInterfaces(on('blue'), nat, bridge('blue', absent)),
    ...real,
  },
  {
    title: 'unplug and hot-plug in one edit',
    start: on('blue'),
    edited: withInterfaces(on('blue', 'red'), nat, bridge('blue', absent), bridge('red')),
    ...real,
  },
  {
    title: 'an interface taken out of the template without a word',
    start: on('blue', 'red'),
    edited: on('blue'),
    ...real,
  },
  {
    title: 'one network four times',
    start: sharing('one', 'two', 'three', 'four'),
    ...real,
  },
  {
    title: 'hot-plug of two more on a network that is used already',
    start: sharing('one'),
    edited: sharing('one', 'two', 'three'),
    ...real,
  },
  {
    title: 'unplug of one of three on one network',
    start: sharing('one', 'two', 'three'),
    edited: withInterfaces(sharing('one', 'two', 'three'), nat, bridge('one'), bridge('two', absent), bridge('three')),
    ...real,
  },
  {
    title: 'unplug of all three at once',
    start: on('blue', 'red', 'green'),
    edited: withInterfaces(
      on('blue', 'red', 'green'),
      nat,
      bridge('blue', absent),
      bridge('red', absent),
      bridge('green', absent),
    ),
    ...real,
  },
  {
    title: 'unplug of an interface with a MAC address',
    start: withInterfaces(on('blue', 'red'), nat, bridge('blue', { macAddress: '02:00:00:00:99:05' }), bridge('red')),
    edited: withInterfaces(
      on('blue', 'red'),
      nat,
      bridge('blue', { macAddress: '02:00:00:00:99:05', ...absent }),
      bridge('red'),
    ),
    ...real,
  },
  {
    title: 'unplug and hot-plug on the same network under another name',
    start: sharing('one'),
    edited: withInterfaces(sharing('one', 'two'), nat, bridge('one', absent), bridge('two')),
    ...real,
  },
  {
    title: 'hot-plug of two with MAC addresses, in reverse order',
    start: on(),
    edited: withInterfaces(
      on('blue', 'red'),
      nat,
      bridge('red', { macAddress: '02:00:00:00:99:06' }),
      bridge('blue', { macAddress: '02:00:00:00:99:07' }),
    ),
    ...real,
  },
  {
    title: 'unplug of an interface that the guest still has',
    start: on('blue', 'red'),
    edited: withInterfaces(on('blue', 'red'), nat, bridge('blue', absent), bridge('red')),
    inGuest: {
      blue: { mac: '02:00:00:00:99:03', infoSource: 'domain, guest-agent', interfaceName: 'enp2s0', queueCount: 1 },
    },
    ...unreal,
  },
  {
    title: 'a status with what the guest says',
    start: on('blue'),
    inGuest: {
      default: {
        ipAddress: '10.0.2.2',
        ipAddresses: ['10.0.2.2', 'fd10::2'],
        mac: '02:00:00:00:99:04',
        infoSource: 'domain, guest-agent',
      },
      blue: { infoSource: 'domain' },
      docker0: { infoSource: 'guest-agent', interfaceName: 'docker0' },
    },
    edited: on('blue', 'red'),
    ...unreal,
  },
  { title: 'an ordinal pod', start: on('blue', 'red'), isOrdinal: true, ...unreal },
  { title: 'hot-plug into an ordinal pod', start: on('blue'), edited: on('blue', 'red'), isOrdinal: true, ...unreal },
  {
    title: 'unplug from an ordinal pod, which is refused',
    start: on('blue', 'red'),
    edited: withInterfaces(on('blue', 'red'), nat, bridge('blue', absent), bridge('red')),
    isOrdinal: true,
    ...unreal,
  },
  {
    title: 'an ordinal pod whose interfaces have another order than its networks, and hot-plug into it',
    start: withInterfaces(on('blue', 'red'), nat, bridge('red'), bridge('blue')),
    edited: withInterfaces(on('blue', 'red', 'green'), nat, bridge('red'), bridge('blue'), bridge('green')),
    isOrdinal: true,
    ...unreal,
  },
  {
    title: 'SR-IOV only',
    start: { networks: [net('sr1')], interfaces: [sriov('sr1')] },
    devices: { sr1: '0000:65:00.2' },
    ...unreal,
  },
  {
    title: 'two SR-IOV networks and a bridge',
    start: {
      networks: [pod, net('sr2'), net('blue'), net('sr1')],
      interfaces: [nat, sriov('sr2'), bridge('blue'), sriov('sr1')],
    },
    edited: {
      networks: [pod, net('sr2'), net('blue'), net('sr1'), net('red')],
      interfaces: [nat, sriov('sr2'), bridge('blue'), sriov('sr1'), bridge('red')],
    },
    devices: { sr1: '0000:65:00.3', sr2: '0000:65:00.2', blue: '0000:00:00.0' },
    ...unreal,
  },
  {
    title: 'a binding plugin with a network of its own and one that wants device information',
    start: {
      networks: [pod, net('vd'), net('blue')],
      interfaces: [
        { name: 'default', binding: { name: 'passt' } },
        { name: 'vd', binding: { name: 'vdpa' } },
        bridge('blue'),
      ],
    },
    edited: {
      networks: [pod, net('vd'), net('blue'), net('red')],
      interfaces: [
        { name: 'default', binding: { name: 'passt' } },
        { name: 'vd', binding: { name: 'vdpa' } },
        bridge('blue'),
        bridge('red'),
      ],
    },
    plugins: { passt: { networkAttachmentDefinition: 'infra/passt-net' }, vdpa: { downwardAPI: 'device-info' } },
    devices: { vd: '0000:65:00.4' },
    ...unreal,
  },
];
