// From a CNI result to network-status entries: the rules of the client library that Multus itself uses, so that an interface
// looks the same in the status whether it came with the pod or was plugged later.
import { quote } from './json.ts';
import type { StatusEntry } from './network-status.ts';

export interface CniInterface {
  readonly name: string;
  readonly mac?: string | undefined;
  readonly mtu?: number | undefined;
  /** The netns; host-side interfaces have none. */
  readonly sandbox?: string | undefined;
  readonly pciID?: string | undefined;
}

export interface CniResult {
  readonly interfaces: readonly CniInterface[];
  readonly ips: readonly {
    readonly address: string;
    readonly gateway?: string | undefined;
    /** Index into `interfaces`. */
    readonly interface?: number | undefined;
  }[];
  readonly routes: readonly { readonly dst: string; readonly gw?: string | undefined }[];
  readonly dns: Readonly<Record<string, unknown>>;
}

/**
 * Why an answer is not about the pod that was asked about: an interface in it is in another network namespace. The last part
 * of the path is compared, because what is above it may be seen under two names (/run, /var/run).
 */
export const sandboxProblem = ({ interfaces }: CniResult, netns: string): string | undefined => {
  const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const odd = interfaces.find(({ sandbox }) => sandbox && lastOf(sandbox) !== lastOf(netns));
  return odd && `Multus answered for interface ${quote(odd.name)} in another sandbox, ${quote(odd.sandbox)}`;
};

/**
 * Multus' standard configuration makes plugins answer in a version of CNI that cannot tell the device (`pciID`), so the device
 * that was asked for stands in for it.
 */
const PCI_ADDRESS = /^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i;

/** One entry per interface inside the pod; when the plugin names none, one for the interface that was asked for. */
export const statusEntriesOf = (
  network: string,
  requestedName: string,
  result: CniResult,
  deviceId?: string,
): readonly StatusEntry[] => {
  const inPod = result.interfaces.flatMap((iface, index) => (iface.sandbox ? [{ iface, index }] : []));
  const device = deviceId !== undefined && PCI_ADDRESS.test(deviceId) ? { pciID: deviceId } : {};
  if (inPod.length === 0) return [entryOf(network, { name: requestedName, ...device }, addresses(result), result)];
  return inPod.map(({ iface, index }, position) => {
    const isOnly = result.interfaces.length === 1;
    const isLast = position === inPod.length - 1;
    const own = result.ips.filter((ip) => isOnly || ip.interface === index || (isLast && ip.interface === undefined));
    return entryOf(
      network,
      iface.pciID ? iface : { ...iface, ...device },
      own.map(({ address }) => withoutPrefix(address)),
      result,
    );
  });
};

const addresses = (result: CniResult): string[] => result.ips.map(({ address }) => withoutPrefix(address));

const withoutPrefix = (cidr: string): string => cidr.split('/')[0] ?? cidr;

const DEFAULT_ROUTES = new Set(['0.0.0.0/0', '::/0']);

/** Fields in the order in which Go programs write them. */
const entryOf = (network: string, iface: CniInterface, ips: readonly string[], result: CniResult): StatusEntry => {
  const gateway = result.routes.flatMap(({ dst, gw }) => (DEFAULT_ROUTES.has(dst) && gw ? [gw] : []));
  return {
    name: network,
    interface: iface.name,
    ...(ips.length > 0 && { ips }),
    ...(iface.mac && { mac: iface.mac }),
    ...(iface.mtu && { mtu: iface.mtu }),
    dns: result.dns,
    ...(iface.pciID && { 'device-info': { type: 'pci', version: '1.1.0', pci: { 'pci-address': iface.pciID } } }),
    ...(gateway.length > 0 && { gateway }),
  };
};
