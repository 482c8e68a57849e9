// Looks into a pod's network namespace from its node, with the node's own `ip`.
import * as z from 'zod';
import type { NodeExec } from './node-exec.ts';
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

const linkList = z.array(
  z.object({
    ifindex: z.number(),
    ifname: z.string(),
    flags: z.array(z.string()),
    mtu: z.number(),
    address: z.optional(z.string()),
  }),
);
const addressList = z.array(
  z.object({ ifindex: z.number(), addr_info: z.array(z.object({ local: z.string(), scope: z.string() })) }),
);

/**
 * Argument: the pod's uid. Any process of the pod will do, its sandbox' own at least; control groups are named after the uid by
 * every runtime, with underscores where systemd makes them.
 */
const script = `
pods="pod$1|pod$(echo "$1" | tr - _)"
for file in $(grep -lE "$pods" /proc/[0-9]*/cgroup 2>/dev/null); do
  pid=\${file#/proc/}
  nsenter --target "\${pid%/cgroup}" --net sh -c 'ip -json link show && ip -json address show' 2>/dev/null && exit
done
echo "no process of the pod with uid $1 runs on this node" >&2
exit 1`;

/** All but the loopback. */
export const readPodLinks = async (nodeExec: NodeExec, pod: PodRef): Promise<readonly PodLink[]> => {
  const [links = '[]', addresses = '[]'] = (await nodeExec(pod.node, ['sh', '-c', script, 'sh', pod.uid])).split('\n');
  const addressesOf = new Map(
    addressList
      .parse(JSON.parse(addresses))
      .map(({ ifindex, addr_info }) => [ifindex, addr_info.filter(({ scope }) => scope !== 'link')]),
  );
  return linkList
    .parse(JSON.parse(links))
    .filter(({ ifname }) => ifname !== 'lo')
    .map(({ ifindex, ifname, flags, mtu, address = '' }) => ({
      ifname,
      index: ifindex,
      mac: address,
      mtu,
      isUp: flags.includes('UP'),
      addresses: (addressesOf.get(ifindex) ?? []).map(({ local }) => local),
    }));
};

/** In the pod's first container, or in the one that the pod says is meant. */
export const execInPod = (kubectl: Kubectl, pod: PodRef, command: readonly string[]): Promise<string> =>
  kubectl.run(['-n', pod.namespace, 'exec', pod.name, '--', ...command]);
