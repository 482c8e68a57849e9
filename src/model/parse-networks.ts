// Reads the networks annotation as Multus does: JSON when it contains one of `[`, `{`, `"`, else a comma list of
// `[namespace/]name[@interface]`. Nothing half-read leaves this module: either every element is sound, or each problem is
// named with its element, field and value, and the caller changes nothing.
import ipaddr from 'ipaddr.js';
import { isDeeperThan, isJsonObject, type JsonObject, quote, shorten } from './json.ts';
import { networkName } from './keys.ts';
import { interfaceNameProblem, type NetworkSelection, type SelectionAttributes } from './network-selection.ts';

export interface SelectionProblem {
  /** Position of the offending element; undefined when the text as a whole cannot be read. */
  readonly index: number | undefined;
  readonly message: string;
}

export type ParsedNetworks =
  | { readonly ok: true; readonly selections: readonly NetworkSelection[] }
  | { readonly ok: false; readonly problems: readonly SelectionProblem[] };

type Report = (message: string) => void;

/**
 * More than any pod needs, and few enough that what the agent reports of each fits into the pod: annotations have 256 KiB
 * together, and a report that the API server refuses would leave interfaces that no status tells of.
 */
const MAX_ELEMENTS = 100;

export const parseNetworks = (text: string | undefined, podNamespace: string): ParsedNetworks => {
  if (text === undefined || text.trim() === '') return { ok: true, selections: [] };
  const problems: SelectionProblem[] = [];
  const elements = /[[{"]/.test(text) ? readJson(text, problems) : readShortForm(text, problems);
  if (elements.length > MAX_ELEMENTS) return { ok: false, problems: [tooMany(elements.length)] };
  const selections = elements.flatMap((element, index) => {
    const report: Report = (message) => problems.push({ index, message: `element ${index + 1}: ${message}` });
    return element === undefined ? [] : [readElement(element, index, podNamespace, report)];
  });
  problems.push(...duplicateNames(selections));
  return problems.length === 0 ? { ok: true, selections } : { ok: false, problems };
};

const tooMany = (count: number): SelectionProblem => ({
  index: undefined,
  message: `has ${count} elements; at most ${MAX_ELEMENTS} are allowed`,
});

const readJson = (text: string, problems: SelectionProblem[]): (JsonObject | undefined)[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    problems.push({ index: undefined, message: `not valid JSON: ${shorten(detail, 200)}` });
    return [];
  }
  if (!Array.isArray(value)) {
    problems.push({ index: undefined, message: `must be a JSON list of elements, got ${quote(value)}` });
    return [];
  }
  return value.map((element: unknown, index) => {
    if (isJsonObject(element)) return withKnownSpelling(element);
    problems.push({ index, message: `element ${index + 1}: must be an object with a "name", got ${quote(element)}` });
    return undefined;
  });
};

const readShortForm = (text: string, problems: SelectionProblem[]): (JsonObject | undefined)[] =>
  text.split(',').map((item, index) => {
    const match = /^(?:([^/@]*)\/)?([^/@]*)(?:@([^/@]*))?$/.exec(item.trim());
    if (match === null) {
      problems.push({
        index,
        message: `element ${index + 1}: ${quote(item.trim())} is not of the form [namespace/]name[@interface]`,
      });
      return undefined;
    }
    const [namespace, name, iface] = match.slice(1).map((part) => part?.trim());
    return {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(iface === undefined ? {} : { interface: iface }),
    };
  });

/** Go matches field names without regard to case, so an annotation that Multus took may spell them in any way. */
const FIELDS = new Map(
  [
    'name',
    'namespace',
    'interface',
    'interfaceRequest',
    'ips',
    'mac',
    'cni-args',
    'infiniband-guid',
    'portMappings',
    'bandwidth',
    'deviceID',
    'default-route',
  ].map((field) => [field.toLowerCase(), field]),
);

const withKnownSpelling = (element: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(element).flatMap(([key, value]) => {
      const field = FIELDS.get(key.toLowerCase());
      return field === undefined || value === null ? [] : [[field, value]];
    }),
  );

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

const readElement = (element: JsonObject, index: number, podNamespace: string, report: Report): NetworkSelection => {
  const namespace = readNamespace(element['namespace'], podNamespace, report);
  const name = readName(element['name'], report);
  const named = element['interface'] === undefined || element['interface'] === '' ? 'interfaceRequest' : 'interface';
  const iface = readInterface(element[named], report);
  const attributes = readAttributes(element, report);
  return {
    index,
    network: networkName(namespace, name),
    attributes,
    ...(iface === undefined ? {} : { interface: iface }),
  };
};

const readNamespace = (value: unknown, podNamespace: string, report: Report): string => {
  if (value === undefined || value === '') return podNamespace;
  if (typeof value === 'string' && value.length <= 63 && LABEL.test(value)) return value;
  report(`namespace ${quote(value)} is not a Kubernetes namespace name (lower-case letters, digits and "-")`);
  return podNamespace;
};

const readName = (value: unknown, report: Report): string => {
  if (typeof value === 'string' && value.length <= 253 && SUBDOMAIN.test(value)) return value;
  if (value === undefined || value === '') report('name is missing; it must be that of a NetworkAttachmentDefinition');
  else
    report(`name ${quote(value)} is not a NetworkAttachmentDefinition name (lower-case letters, digits, "-" and ".")`);
  return '';
};

const readInterface = (value: unknown, report: Report): string | undefined => {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') {
    report(`interface ${quote(value)} must be a text`);
    return undefined;
  }
  const problem = interfaceNameProblem(value);
  if (problem !== undefined) report(`interface ${quote(value)} ${problem}`);
  return value;
};

const readAttributes = (element: JsonObject, report: Report): SelectionAttributes => {
  const ips = readList(element['ips'], 'ips', isAddressOrCidr, 'an IP address or CIDR', report);
  const defaultRoute = readList(element['default-route'], 'default-route', isAddress, 'an IP address', report);
  const mac = readMac(element['mac'], 'mac', report);
  const infinibandGuid = readMac(element['infiniband-guid'], 'infiniband-guid', report);
  const cniArgs = readObject(element['cni-args'], 'cni-args', report);
  const bandwidth = readObject(element['bandwidth'], 'bandwidth', report);
  const portMappings = readList(element['portMappings'], 'portMappings', isJsonObject, 'an object', report);
  const deviceId = readDeviceId(element['deviceID'], report);
  return {
    ...(ips.length > 0 && { ips }),
    ...(mac !== undefined && { mac }),
    ...(cniArgs !== undefined && { cniArgs }),
    ...(infinibandGuid !== undefined && { infinibandGuid }),
    ...(portMappings.length > 0 && { portMappings }),
    ...(bandwidth !== undefined && { bandwidth }),
    ...(deviceId !== undefined && { deviceId }),
    ...(defaultRoute.length > 0 && { defaultRoute }),
  };
};

const readList = <T>(
  value: unknown,
  field: string,
  isSound: (item: unknown) => item is T,
  expectation: string,
  report: Report,
): readonly T[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(`${field} must be a list, got ${quote(value)}`);
    return [];
  }
  return value.filter((item: unknown): item is T => {
    const sound = isSound(item) && !isDeeperThan(item);
    if (!sound) report(`${field} has ${quote(item)}, which is not ${expectation}`);
    return sound;
  });
};

const readObject = (value: unknown, field: string, report: Report): JsonObject | undefined => {
  if (value === undefined) return undefined;
  if (isJsonObject(value) && !isDeeperThan(value)) return value;
  report(`${field} must be an object of at most 64 levels, got ${quote(value)}`);
  return undefined;
};

/** As Go's net.ParseIP: no zone, and no leading zeros in a dotted part. */
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  (ipaddr.IPv4.isValidFourPartDecimal(value) || (ipaddr.IPv6.isValid(value) && !/%|(?<![\da-f])0\d+\./i.test(value)));

const isAddressOrCidr = (value: unknown): value is string => {
  if (typeof value !== 'string') return false;
  const [address, prefix, ...rest] = value.split('/');
  if (!isAddress(address) || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (address.includes(':') ? 128 : 32));
};

/** The forms of Go's net.ParseMAC: 6, 8 or 20 bytes, in pairs with `:` or `-`, or in fours with `.`. */
const MAC =
  /^(?:[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?)$/i;

const readMac = (value: unknown, field: string, report: Report): string | undefined => {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && MAC.test(value)) return value;
  report(`${field} ${quote(value)} is not a MAC address such as 02:00:00:00:00:01`);
  return undefined;
};

const readDeviceId = (value: unknown, report: Report): string | undefined => {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && /^[\w.:/-]{1,128}$/.test(value)) return value;
  report(`deviceID ${quote(value)} is not a device identifier such as 0000:65:00.2`);
  return undefined;
};

const duplicateNames = (selections: readonly NetworkSelection[]): SelectionProblem[] => {
  const seen = new Map<string, number>();
  return selections.flatMap(({ interface: iface, index }) => {
    if (iface === undefined) return [];
    const first = seen.get(iface);
    seen.set(iface, first ?? index);
    if (first === undefined) return [];
    const message = `element ${index + 1}: interface ${quote(iface)} is already used by element ${first + 1}; names must be unique`;
    return [{ index, message }];
  });
};
