// The network-status annotation as Multus makes it from CNI results at pod creation.
import type { CniResult } from './cni-result.ts';
import { withoutPrefix } from './ip-range.ts';
import { isObject, type JsonObject } from './json-values.ts';

export const networkStatusAnnotation = 'k8s.v1.cni.cncf.io/network-status';
export const networksAnnotation = 'k8s.v1.cni.cncf.io/networks';

export interface NetworkStatusEntry {
  readonly name: string;
  readonly interface?: string;
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly mtu?: number;
  readonly default?: boolean;
  readonly dns: JsonObject;
  readonly 'device-info'?: JsonObject;
  readonly gateway?: readonly string[];
}

interface Subject {
  readonly name: string;
  readonly isDefault: boolean;
  readonly deviceInfo: JsonObject | undefined;
}

/** One entry per interface in the pod; the default one is the first with a gateway, else the first. */
export const statusEntries = (result: CniResult, { name, isDefault, deviceInfo }: Subject): NetworkStatusEntry[] => {
  const interfaces = result.interfaces ?? [];
  const isDefaultRoute = (dst: string): boolean => /^(0\.0\.0\.0|::)(\/|$)/.test(dst);
  const gateways = (result.routes ?? [])
    .filter((route) => isDefaultRoute(route.dst))
    .map((route) => route.gw ?? '<nil>');
  const inPod = interfaces.flatMap((each, index) => (each.sandbox ? [{ ...each, index }] : []));
  const withGateway = result.ips?.find((ip) => ip.gateway !== undefined && ip.interface !== undefined)?.interface;
  const defaultIndex = withGateway ?? inPod[0]?.index;
  return inPod.map(({ index, name: ifname, mac, mtu }) => {
    const isLast = index === inPod.at(-1)?.index;
    const ips = (result.ips ?? [])
      .filter((ip) => interfaces.length === 1 || (ip.interface === undefined ? isLast : ip.interface === index))
      .map((ip) => withoutPrefix(ip.address));
    return {
      name,
      interface: ifname,
      ...(ips.length > 0 && { ips }),
      ...(mac && { mac }),
      ...(mtu && { mtu }),
      ...(isDefault && index === defaultIndex && { default: true }),
      dns: { ...result.dns },
      ...(deviceInfo && { 'device-info': deviceInfo }),
      ...(gateways.length > 0 && { gateway: gateways }),
    };
  });
};

export const formatNetworkStatus = (entries: readonly NetworkStatusEntry[]): string =>
  `[${entries.map((entry) => JSON.stringify(entry, null, 4)).join(',')}]`;

/** What the annotation reports; an unparsable one reports nothing. */
export const parseNetworkStatus = (annotation: string | undefined): NetworkStatusEntry[] => {
  try {
    const parsed: unknown = JSON.parse(annotation ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isEntry) : [];
  } catch {
    return [];
  }
};

const isEntry = (value: unknown): value is NetworkStatusEntry => isObject(value) && typeof value['name'] === 'string';
