// Machines and pods for tests, with everything filled in that a test does not care about.
import type { StatusEntry } from '../model/network-status.ts';
import type { InterfaceStatus } from './interface-status.ts';
import { parseInterfaceStatus } from './interface-status.ts';
import { type NetworkSpec, parseNetworkSpec } from './network-spec.ts';
import type { NetworkLists } from './plan-vmi-spec.ts';

export interface SpecObject {
  readonly networks: readonly object[];
  readonly domain: { readonly devices: { readonly interfaces: readonly object[] } };
}

export const podNetwork = { name: 'default', pod: {} };
export const multus = (name: string, networkName = `nad-${name}`): object => ({ name, multus: { networkName } });
export const masquerade = { name: 'default', masquerade: {} };
export const bridge = (name: string, more: object = {}): object => ({ name, bridge: {}, ...more });
export const sriov = (name: string, more: object = {}): object => ({ name, sriov: {}, ...more });

export const specObject = (networks: readonly object[], interfaces: readonly object[]): SpecObject => ({
  networks,
  domain: { devices: { interfaces } },
});

export const spec = (networks: readonly object[], interfaces: readonly object[]): NetworkSpec =>
  parseNetworkSpec(specObject(networks, interfaces));

/** The primary network, and these on it with a bridge each. */
export const bridged = (...names: readonly string[]): NetworkSpec =>
  spec([podNetwork, ...names.map((name) => multus(name))], [masquerade, ...names.map((name) => bridge(name))]);

/** Lists as they would be read back after they were written. */
export const reread = ({ networks, interfaces }: NetworkLists): NetworkSpec =>
  spec(
    networks.map(({ raw }) => raw),
    interfaces.map(({ raw }) => raw),
  );

export const status = (...entries: readonly object[]): readonly InterfaceStatus[] =>
  parseInterfaceStatus(entries).entries;

export const primaryEntry: StatusEntry = {
  name: 'podnet',
  interface: 'eth0',
  ips: ['10.244.0.9'],
  default: true,
  dns: {},
};

/** network-status of a pod with the primary interface and these. */
export const reported = (...interfaces: readonly (string | StatusEntry)[]): readonly StatusEntry[] => [
  primaryEntry,
  ...interfaces.map((item) => (typeof item === 'string' ? { name: 'ns1/nad', interface: item, dns: {} } : item)),
];

export const pciDevice = (iface: string, address: string, more: object = {}): StatusEntry => ({
  name: 'ns1/nad-sr',
  interface: iface,
  dns: {},
  'device-info': { type: 'pci', version: '1.1.0', pci: { 'pci-address': address, 'rdma-device': 'mlx5_2', ...more } },
});
