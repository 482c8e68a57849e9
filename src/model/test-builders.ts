// Values of the model for tests, with everything filled in that a test does not care about.
import type { AttachmentRecord } from './attachment-record.ts';
import { type NetworkName, networkName } from './keys.ts';
import { type NetworkSelection, requestSignature, type SelectionAttributes } from './network-selection.ts';
import type { StatusEntry } from './network-status.ts';
import type { PlanPolicy } from './plan-attachments.ts';

/** `blue` is short for `shop/blue`. */
export const network = (text: string): NetworkName => {
  const [namespace = '', name] = text.split('/');
  return name === undefined ? networkName('shop', namespace) : networkName(namespace, name);
};

/** `blue`, `blue@data0`, or either with attributes. */
export type Element = string | readonly [string, SelectionAttributes];

/** Elements of an annotation, in order. */
export const elements = (...items: readonly Element[]): readonly NetworkSelection[] =>
  items.map((item, index) => {
    const [text, attributes] = typeof item === 'string' ? [item, {}] : item;
    const [name = '', iface] = text.split('@');
    return { index, network: network(name), attributes, ...(iface !== undefined && { interface: iface }) };
  });

/** `blue@net1` as network-status reports it. */
export const entry = (text: string, fields: Partial<StatusEntry> = {}): StatusEntry => {
  const [name = '', iface = ''] = text.split('@');
  return { name: network(name), interface: iface, dns: {}, ...fields };
};

export const defaultEntry: StatusEntry = {
  name: 'podnet',
  interface: 'eth0',
  ips: ['10.244.0.2'],
  default: true,
  dns: {},
};

/** `blue@net1` as the ledger holds it. */
export const record = (
  text: string,
  {
    attributes = {},
    ...fields
  }: Partial<Omit<AttachmentRecord, 'attributes'>> & { attributes?: SelectionAttributes } = {},
): AttachmentRecord => {
  const [name = '', iface = ''] = text.split('@');
  const state = fields.state ?? 'added';
  return {
    interface: iface,
    network: network(name),
    state,
    containerId: 'sandbox-1',
    netns: '/run/netns/1',
    config: '{"type":"bridge"}',
    attributes: {},
    request: requestSignature(attributes),
    entries: state === 'adding' ? [] : [entry(text)],
    ...fields,
  };
};

export const SRIOV = network('sriov');

export const policy = (overrides: Partial<PlanPolicy> = {}): PlanPolicy => ({
  isLauncherPod: false,
  deviceAttachments: 'keep',
  resourceOf: (name) => (name === SRIOV ? 'intel.com/vf' : undefined),
  ...overrides,
});

export const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
};
