// The pod's networks annotation as Multus reads it when it creates a pod: JSON list or `ns/net@if, net2`.
// Deliberately not the agent's own parser: the simulated world must not agree with the product by construction.
import { parseCidr, parseIp } from './ip-range.ts';
import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from './json-values.ts';

export interface NetworkSelection {
  readonly name: string;
  readonly namespace: string;
  readonly interface: string;
  readonly mac: string;
  readonly ips: readonly string[] | undefined;
  readonly deviceId: string;
  readonly cniArgs: JsonObject | undefined;
  readonly defaultRoute: readonly string[] | undefined;
}

const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const macPattern = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;

const emptySelection = {
  mac: '',
  ips: undefined,
  deviceId: '',
  cniArgs: undefined,
  defaultRoute: undefined,
};

const parseShort = (item: string, podNamespace: string): NetworkSelection => {
  const slashed = item.split('/');
  if (slashed.length > 2) throw new Error("parsePodNetworkObjectName: Invalid network object (failed at '/')");
  const [namespace, rest] = slashed.length === 2 ? slashed : ['', slashed[0]];
  const [name = '', ifname = '', ...more] = (rest ?? '').split('@').map((part) => part.trim());
  if (more.length > 0) throw new Error("parsePodNetworkObjectName: Invalid network object (failed at '@')");
  for (const label of [namespace?.trim() ?? '', name]) {
    if (label !== '' && !labelPattern.test(label)) {
      throw new Error(
        `parsePodNetworkObjectName: Failed to parse: one or more items did not match, mismatch @ '${label}'`,
      );
    }
  }
  if (ifname.length > 15 || /[\s/]/.test(ifname)) {
    throw new Error(`parsePodNetworkObjectName: Failed to parse interface name: '${ifname}'`);
  }
  return { ...emptySelection, name, namespace: namespace?.trim() || podNamespace, interface: ifname };
};

const parseElement = (element: JsonObject, podNamespace: string): NetworkSelection => {
  const mac = stringAt(element, 'mac');
  if (mac !== '' && !macPattern.test(mac)) {
    throw new Error(`parsePodNetworkAnnotation: failed to mac: address ${mac}: invalid MAC address`);
  }
  const ips = Array.isArray(element['ips']) ? stringsAt(element, 'ips') : undefined;
  for (const ip of ips ?? []) parseRequestedIp(ip);
  return {
    name: stringAt(element, 'name'),
    namespace: stringAt(element, 'namespace') || podNamespace,
    interface: stringAt(element, 'interface') || stringAt(element, 'interfaceRequest'),
    mac,
    ips,
    deviceId: stringAt(element, 'deviceID'),
    cniArgs: isObject(element['cni-args']) ? objectAt(element, 'cni-args') : undefined,
    defaultRoute: Array.isArray(element['default-route']) ? stringsAt(element, 'default-route') : undefined,
  };
};

const parseRequestedIp = (ip: string): void => {
  try {
    if (ip.includes('/')) parseCidr(ip);
    else parseIp(ip);
  } catch (error) {
    throw new Error(ip.includes('/') ? `failed to parse CIDR "${ip}"` : `failed to parse IP address "${ip}"`, {
      cause: error,
    });
  }
};

export const parseSelections = (annotation: string, podNamespace: string): NetworkSelection[] => {
  if (annotation === '') return [];
  if (!/[[{"]/.test(annotation)) {
    return annotation.split(',').map((item) => parseShort(item.trim(), podNamespace));
  }
  let elements: unknown;
  try {
    elements = JSON.parse(annotation);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(
      `parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection Annotation JSON format: ${text}`,
    );
  }
  if (!Array.isArray(elements) || !elements.every(isObject)) {
    throw new Error(
      'parsePodNetworkAnnotation: failed to parse pod Network Attachment Selection Annotation JSON format: json: cannot unmarshal into Go value of type []*types.NetworkSelectionElement',
    );
  }
  return elements.map((element) => parseElement(element, podNamespace));
};
