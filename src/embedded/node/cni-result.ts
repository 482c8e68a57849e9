// CNI results and what becomes of them in another spec version: before 1.0.0 a result carries no MTU and no PCI address,
// before 0.3.0 no interfaces at all. Multus' daemon forces its own version on hot-plugged configs, so this loss is visible.

export interface CniInterface {
  readonly name: string;
  readonly mac?: string;
  readonly mtu?: number;
  /** Path of the network namespace; absent for the host's side. */
  readonly sandbox?: string;
  readonly pciID?: string;
}

export interface CniIp {
  readonly address: string;
  readonly gateway?: string;
  /** Index into `interfaces`. */
  readonly interface?: number;
}

export interface CniRoute {
  readonly dst: string;
  readonly gw?: string;
}

export interface CniResult {
  readonly cniVersion: string;
  readonly interfaces?: readonly CniInterface[];
  readonly ips?: readonly CniIp[];
  readonly routes?: readonly CniRoute[];
  readonly dns?: Readonly<Record<string, unknown>>;
}

/** The version that the daemon's own library implements, and therefore answers in. */
export const daemonResultVersion = '1.1.0';

export const supportedVersions = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'];

/** An absent version means 0.1.0, as libcni has it. */
export const isAtLeast = (version: string, wanted: string): boolean => {
  const parts = (text: string): number[] => (text || '0.1.0').split('.').map(Number);
  const [have, want] = [parts(version), parts(wanted)];
  for (let index = 0; index < 3; index++) {
    const difference = (have[index] ?? 0) - (want[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
};

export const resultAsVersion = (result: CniResult, version: string): CniResult => {
  if (isAtLeast(version, '1.0.0')) return { ...result, cniVersion: version };
  const { interfaces, ips, ...rest } = result;
  if (!isAtLeast(version, '0.3.0')) {
    const bare = ips?.map(({ address, gateway }) => (gateway === undefined ? { address } : { address, gateway }));
    return { ...rest, cniVersion: version || '0.2.0', ...(bare && { ips: bare }) };
  }
  const plain = interfaces?.map(({ name, mac, sandbox }) => ({
    ...(mac !== undefined && { mac }),
    name,
    ...(sandbox !== undefined && { sandbox }),
  }));
  return { ...rest, cniVersion: version, ...(plain && { interfaces: plain }), ...(ips && { ips }) };
};
