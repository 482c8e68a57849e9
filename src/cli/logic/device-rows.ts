// Devices of pods as network-status reports them, beside the map that programs inside a launcher pod read.
import { isJsonObject } from '../../model/json.ts';
import { parseNetworkStatus } from '../../model/network-status.ts';
import { normalDeviceInfo, pciAddressIn } from '../../vm/device-info.ts';
import { parseDeviceMap } from '../../vm/read-device-map.ts';
import type { ClusterPod } from '../gather/cluster-pod.ts';

export interface DeviceRow {
  readonly namespace: string;
  readonly pod: string;
  readonly vm?: string;
  readonly node?: string;
  /** Empty for a device that only the map knows. */
  readonly interface: string;
  readonly network: string;
  readonly type?: string;
  readonly pciAddress?: string;
  /** What the machine calls the network, by the map. */
  readonly mappedAs?: string;
  readonly problem?: string;
}

/** The annotation that KubeVirt reads today, and the flat one of before. */
const MAP_KEYS = ['kubevirt.io/network-info', 'kubevirt.io/network-to-pci-address'] as const;

export const deviceRows = ({ pod, vm, nodeName, annotations }: ClusterPod): readonly DeviceRow[] => {
  const status = parseNetworkStatus(pod.statusText);
  const map = readMap(annotations);
  const common = {
    namespace: pod.namespace,
    pod: pod.name,
    ...(vm !== undefined && { vm }),
    ...(nodeName !== undefined && { node: nodeName }),
  };
  const reported = (status.state === 'read' ? status.entries : []).flatMap((entry): DeviceRow[] => {
    const info = normalDeviceInfo(entry['device-info']);
    if (info === undefined) return [];
    const pciAddress = pciAddressIn(info);
    const mappedAs = pciAddress === undefined ? undefined : map.names.get(pciAddress);
    const problem =
      pod.isLauncherPod && pciAddress !== undefined && mappedAs === undefined ? (map.problem ?? MISSING) : undefined;
    return [
      {
        ...common,
        interface: entry.interface ?? '',
        network: entry.name,
        ...(typeof info['type'] === 'string' && { type: info['type'] }),
        ...(pciAddress !== undefined && { pciAddress }),
        ...(mappedAs !== undefined && { mappedAs }),
        ...(problem !== undefined && { problem }),
      },
    ];
  });
  const known = new Set(reported.map(({ pciAddress }) => pciAddress));
  const stale = [...map.names].filter(([address]) => !known.has(address));
  return [
    ...reported,
    ...stale.map(([pciAddress, mappedAs]) => ({
      ...common,
      interface: '',
      network: '-',
      pciAddress,
      mappedAs,
      problem: STALE,
    })),
  ];
};

const MISSING = 'the map does not have it: is the gate DeviceMap on, or does KubeVirt write it?';
const STALE = 'only the map has it: network-status reports no such device';

const readMap = (
  annotations: Readonly<Record<string, string>>,
): { readonly names: ReadonlyMap<string, string>; readonly problem?: string } => {
  const key = MAP_KEYS.find((each) => annotations[each] !== undefined);
  const text = key === undefined ? undefined : annotations[key];
  if (key === undefined || text === undefined || isEmptyMap(text)) return { names: new Map() };
  const parsed = parseDeviceMap(text, [], key);
  if (!parsed.ok) return { names: new Map(), problem: parsed.reason };
  return { names: new Map([...parsed.addresses].map(([network, address]) => [address, network])) };
};

const isEmptyMap = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && Object.keys(value).length === 0;
  } catch {
    return false;
  }
};
