// The life of a machine of each shape, as objects at the moments at which virt-controller decides something. What the cluster
// would do between two moments (Multus reports what the pod asks for, virt-handler drops what the guest has let go of) is done here.
import { createHash } from 'node:crypto';
import { goJson, type JsonObject } from '../../../src/model/json.ts';
import { formatNetworkStatus, type StatusEntry } from '../../../src/model/network-status.ts';
import { parseInterfaceStatus } from '../../../src/vm/interface-status.ts';
import { parseNetworkSpec } from '../../../src/vm/network-spec.ts';
import { elementsIn } from '../../../src/vm/networks-annotation.ts';
import { type OurAnswer, ourAnswer } from './our-answer.ts';
import type { Lists, Shape } from './shapes.ts';

export type Moment = {
  readonly shape: string;
  readonly moment: 'created' | 'started' | 'settled' | 'edited' | 'taken over' | 'plugged' | 'released';
  readonly input: MomentInput;
};

export type MomentInput = {
  readonly vm: object;
  readonly vmi: {
    readonly metadata: object;
    readonly spec: object;
    readonly status: { readonly interfaces: readonly object[] };
  };
  readonly pod: { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } };
  readonly plugins: Readonly<Record<string, object>>;
};

const NETWORKS = 'k8s.v1.cni.cncf.io/networks';
const STATUS = 'k8s.v1.cni.cncf.io/network-status';
const namespace = 'ns1';

type Situation = {
  readonly template: Lists;
  readonly instance: Lists;
  readonly status: readonly object[];
  readonly annotations: Readonly<Record<string, string>>;
};

export const momentsOf = (shape: Shape): readonly Moment[] => {
  const moments: Moment[] = [];
  const take = (moment: Moment['moment'], situation: Situation): OurAnswer => {
    const input = inputOf(shape, situation);
    moments.push({ shape: shape.title, moment, input });
    return ourAnswer(input);
  };
  const lists = { template: shape.start, instance: shape.start };
  const made = take('created', { ...lists, status: [], annotations: {} });
  const text = shape.isOrdinal ? withoutNames(made.created) : made.created;
  const annotations = { ...(text && { [NETWORKS]: text }), [STATUS]: reportOf(shape, text) };
  const guest = Object.entries(shape.inGuest ?? {}).map(([name, entry]) => ({ name, ...entry }));
  const started = take('started', { ...lists, status: guest, annotations });
  const settled = { ...lists, status: started.status, annotations: { ...annotations, ...started.live } };
  take('settled', settled);
  if (shape.edited === undefined) return moments;

  const edited = take('edited', { ...settled, template: shape.edited });
  const taken = { ...settled, template: shape.edited, instance: edited.instance };
  const { live } = take('taken over', taken);
  const asked = live[NETWORKS] ?? annotations[NETWORKS] ?? '';
  const plugged = { ...taken, annotations: { ...annotations, ...live, [STATUS]: reportOf(shape, asked) } };
  const { status } = take('plugged', plugged);
  const gone = parseNetworkSpec(specOf(taken.instance)).interfaces.filter(({ isAbsent }) => isAbsent);
  const left = parseInterfaceStatus(status).entries.filter(({ name }) => !gone.some((iface) => iface.name === name));
  take('released', { ...plugged, status: left.map(({ raw }) => raw) });
  return moments;
};

const specOf = ({ networks, interfaces }: Lists): object => ({ networks, domain: { devices: { interfaces } } });

const inputOf = (shape: Shape, { template, instance, status, annotations }: Situation): MomentInput => ({
  vm: { metadata: { name: 'vm', namespace }, spec: { template: { spec: specOf(template) } } },
  vmi: { metadata: { name: 'vm', namespace }, spec: specOf(instance), status: { interfaces: status } },
  pod: { metadata: { annotations } },
  plugins: shape.plugins ?? {},
});

/** What Multus reports of a pod that asks for this. */
const reportOf = (shape: Shape, text: string): string => {
  const primary: StatusEntry = { name: 'podnet', interface: 'eth0', ips: ['10.244.0.9'], default: true, dns: {} };
  const networkOf = (element: JsonObject): string | undefined =>
    [shape.start, shape.edited]
      .flatMap((lists) => lists?.networks ?? [])
      .map((network) => parseNetworkSpec({ networks: [network] }).networks[0])
      .find((network) => network?.definition?.split('/').at(-1) === element['name'])?.name;
  const entries = elementsIn(text).map((element, index): StatusEntry => {
    const address = shape.devices?.[networkOf(element) ?? ''];
    return {
      name: `${element['namespace']}/${element['name']}`,
      interface: String(element['interface'] ?? `net${index + 1}`),
      dns: {},
      ...(address && {
        'device-info': { type: 'pci', version: '1.1.0', pci: { 'pci-address': address, 'representor-device': 'eth7' } },
      }),
    };
  });
  return formatNetworkStatus([primary, ...entries]);
};

/** Releases of old wrote no interface names, and the elements in the order of the networks. */
const withoutNames = (text: string): string =>
  text === ''
    ? ''
    : goJson([...elementsIn(text)].sort(byName).map((element) => ({ ...element, interface: undefined })));

const byName = (a: JsonObject, b: JsonObject): number => String(a['name']).localeCompare(String(b['name']));

/** Tells whether a recorded answer is to the question that is asked now. */
export const fingerprint = (input: MomentInput): string =>
  createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 16);
