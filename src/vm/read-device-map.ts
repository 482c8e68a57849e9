// For programs inside a launcher pod: which PCI address each SR-IOV network of the machine has.
//
//   const devices = await readDeviceMap();
//   if (!devices.ok) throw new Error(devices.reason);
//   devices.addresses.get('sr1'); // '0000:65:00.2'
//
// The map is a file of the Downward API. When it is missing, incomplete or invalid, the environment that device plugins set
// is used instead, and `reason` says why: that mapping is a guess as soon as two networks share one resource.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, quote } from '../model/json.ts';
import { listIn, objectIn, textIn } from '../model/json-fields.ts';

export const NETWORK_INFO_FILE = '/etc/podinfo/network-info';

export interface DeviceMapOptions {
  /** Either form: the list of `kubevirt.io/network-info`, or the flat object of `kubevirt.io/network-to-pci-address`. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Networks that must be in the map. By default those that the environment names. */
  readonly networks?: readonly string[];
  /** How long to wait for the file to be filled: the annotation is written after the pod has started. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export type DeviceMap =
  | {
      readonly ok: true;
      readonly source: 'file' | 'environment';
      readonly addresses: ReadonlyMap<string, string>;
      /** Why the file was not used. */
      readonly reason?: string;
    }
  | { readonly ok: false; readonly reason: string };

type Addresses =
  | { readonly ok: true; readonly addresses: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: string };

const POLL_MS = 100;
const RESOURCE_PREFIX = 'KUBEVIRT_RESOURCE_NAME_';
const PCI_ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i;

export const readDeviceMap = async ({
  file = NETWORK_INFO_FILE,
  env = process.env,
  networks = networksIn(env),
  waitMs = 1000,
  signal,
}: DeviceMapOptions = {}): Promise<DeviceMap> => {
  let fromFile = await readMapFile(file, networks);
  for (let waitedMs = 0; !fromFile.ok && waitedMs < waitMs; waitedMs += POLL_MS) {
    await delay(POLL_MS, undefined, { signal });
    fromFile = await readMapFile(file, networks);
  }
  if (fromFile.ok) return { ok: true, source: 'file', addresses: fromFile.addresses };
  const fromEnv = environmentMap(env, networks);
  if (fromEnv.ok) return { ok: true, source: 'environment', addresses: fromEnv.addresses, reason: fromFile.reason };
  return { ok: false, reason: `${fromFile.reason}; and ${fromEnv.reason}` };
};

const readMapFile = async (file: string, networks: readonly string[]): Promise<Addresses> => {
  try {
    return parseDeviceMap(await readFile(file, 'utf8'), networks, file);
  } catch (error) {
    return { ok: false, reason: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
};

/** Every network has one address, and every address one network; anything else makes the whole map invalid. */
export const parseDeviceMap = (text: string, networks: readonly string[], file = 'the device map'): Addresses => {
  if (text.trim() === '') return { ok: false, reason: `${file} is empty` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: `${file} is not valid JSON: ${quote(text)}` };
  }
  if (!isJsonObject(value)) return { ok: false, reason: `${file} is no JSON object: ${quote(value)}` };
  const addresses = new Map<string, string>();
  for (const [network, address] of Array.isArray(value['interfaces']) ? listedIn(value) : Object.entries(value)) {
    if (network === undefined || address === undefined) continue;
    const wrong = (what: string): Addresses => ({ ok: false, reason: `${file}: network ${quote(network)} ${what}` });
    if (typeof address !== 'string' || !PCI_ADDRESS.test(address))
      return wrong(`has no PCI address: ${quote(address)}`);
    if (addresses.has(network)) return wrong('is there twice');
    if ([...addresses.values()].includes(address)) return wrong(`shares ${address} with another network`);
    addresses.set(network, address);
  }
  const missing = networks.filter((network) => !addresses.has(network));
  if (missing.length > 0)
    return { ok: false, reason: `${file} has no address for ${missing.map((name) => quote(name)).join(', ')}` };
  return addresses.size > 0 ? { ok: true, addresses } : { ok: false, reason: `${file} names no device` };
};

/** Entries whose device has no PCI address are of another kind, and no fault. */
const listedIn = (value: unknown): readonly (readonly [string | undefined, unknown])[] =>
  listIn(value, 'interfaces').map((entry) => [
    textIn(entry, 'network'),
    objectIn(objectIn(entry, 'deviceInfo'), 'pci')['pci-address'],
  ]);

const networksIn = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith(RESOURCE_PREFIX))
    .map((name) => name.slice(RESOURCE_PREFIX.length))
    .sort();

/** Takes the addresses of each resource in order, one per network. */
const environmentMap = (env: Readonly<Record<string, string | undefined>>, networks: readonly string[]): Addresses => {
  if (networks.length === 0) return { ok: false, reason: `the environment has no ${RESOURCE_PREFIX}<network>` };
  const pools = new Map<string, string[]>();
  const taken = new Map<string, string>();
  for (const network of networks) {
    const resource = env[`${RESOURCE_PREFIX}${network}`];
    if (!resource) return { ok: false, reason: `the environment has no ${RESOURCE_PREFIX}${network}` };
    const variable = `PCIDEVICE_${resource.toUpperCase().replaceAll(/[/.]/g, '_')}`;
    const pool = pools.get(variable) ?? addressesIn(env[variable]);
    pools.set(variable, pool);
    const free = pool.find((address) => ![...taken.values()].includes(address));
    if (free === undefined)
      return { ok: false, reason: `${variable} has no address left for network ${quote(network)}` };
    taken.set(network, free);
  }
  return { ok: true, addresses: taken };
};

const addressesIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => PCI_ADDRESS.test(address));
