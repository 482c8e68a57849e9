// Looks inside a pod's network namespace, from a container of the pod: works on any cluster. Busybox' ip has no JSON.
import type { PodRef } from './pods.ts';
import type { Kubectl } from './target.ts';

export type PodLink = {
  readonly ifname: string;
  /** A new number means a new interface, whatever its name. */
  readonly index: number;
  readonly mac: string;
  readonly mtu: number;
  readonly isUp: boolean;
  /** Without prefix length; link-local ones left out, because the kernel makes them by itself. */
  readonly addresses: readonly string[];
};

const linkLine = /^(\d+): ([^:@ ]+)(?:@\S+)?: <([^>]*)> mtu (\d+).*?link\/\S+ (\S+)/;
const addressLine = /^\d+: (\S+)\s+inet6? ([^/ ]+)/;

export const parsePodLinks = (text: string): readonly PodLink[] => {
  const lines = text.split('\n');
  const addresses = lines.flatMap((line) => {
    const [, ifname, address] = addressLine.exec(line) ?? [];
    return ifname === undefined || address === undefined || address.startsWith('fe80:') ? [] : [{ ifname, address }];
  });
  return lines.flatMap((line) => {
    const [, index, ifname = '', flags = '', mtu, mac = ''] = linkLine.exec(line) ?? [];
    if (index === undefined) return [];
    const own = addresses.filter((one) => one.ifname === ifname).map(({ address }) => address);
    const isUp = flags.split(',').includes('UP');
    return [{ ifname, index: Number(index), mac, mtu: Number(mtu), isUp, addresses: own }];
  });
};

export const execInPod = (kubectl: Kubectl, pod: PodRef, command: readonly string[]): Promise<string> =>
  kubectl.run(['-n', pod.namespace, 'exec', pod.name, '-c', 'main', '--', ...command]);

/** All but the loopback. */
export const readPodLinks = async (kubectl: Kubectl, pod: PodRef): Promise<readonly PodLink[]> => {
  const text = await execInPod(kubectl, pod, ['sh', '-c', 'ip -o link show; ip -o address show']);
  return parsePodLinks(text).filter(({ ifname }) => ifname !== 'lo');
};
