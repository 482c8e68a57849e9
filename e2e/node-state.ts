// What nodes and the API keep besides pods: addresses in use, and the agent's ledger.
import type { ApiClient } from './api-client.ts';
import { inNode } from './cluster/layout.ts';
import type { Network } from './networks.ts';
import type { NodeExec } from './node-exec.ts';

export type AddressInUse = { readonly address: string; readonly holder: string };

export type LedgerRecord = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly attachments: readonly {
    readonly interface: string;
    readonly network: string;
    readonly state: 'adding' | 'added' | 'removing' | 'removed';
    readonly containerId: string;
  }[];
  readonly leftovers?: readonly { readonly interface: string; readonly containerId: string }[];
};

/** Every value of every file that matches, one per line; nothing when there is none. */
const catFiles = 'cd "$1" 2>/dev/null || exit 0; for f in $2; do [ -f "$f" ] && echo "$f $(cat "$f")"; done; true';

const readStore = async (nodeExec: NodeExec, node: string, cniName: string): Promise<readonly AddressInUse[]> => {
  const dir = `${inNode.hostLocalStore}/${cniName}`;
  const listing = await nodeExec(node, ['sh', '-c', catFiles, 'sh', dir, '*.* *:*']);
  const entry = /^([0-9a-f.:]+) (\S+)\s+(\S+)$/gm;
  return [...listing.replaceAll('\r', '').matchAll(entry)].map(([, address = '', id, ifname]) => ({
    address,
    holder: `${id} ${ifname}`,
  }));
};

type IpPools = {
  items: {
    spec: { range: string; allocations: Readonly<Record<string, { id: string; ifname?: string; podref: string }>> };
  }[];
};

export const poolsPath = '/apis/whereabouts.cni.cncf.io/v1alpha1/ippools';

/** Pools of whereabouts count from the network address of their range. */
const readPools = async (api: ApiClient, network: Network): Promise<readonly AddressInUse[]> => {
  const { items } = await api.get<IpPools>(poolsPath);
  const pools = items.filter(({ spec }) => spec.range === `${network.prefix}0/24`);
  return pools.flatMap(({ spec }) =>
    Object.entries(spec.allocations ?? {}).map(([offset, { podref, ifname }]) => ({
      address: `${network.prefix}${offset}`,
      holder: `${podref} ${ifname ?? ''}`,
    })),
  );
};

/** On one node, or over all of them: host-local keeps a store of its own on each. */
export const readAddresses = async (
  { api, nodeExec }: { readonly api: ApiClient; readonly nodeExec: NodeExec },
  network: Network,
  nodes: readonly string[],
): Promise<readonly AddressInUse[]> => {
  switch (network.ipam) {
    case 'none':
      return [];
    case 'whereabouts':
      return readPools(api, network);
    case 'host-local':
      return (await Promise.all(nodes.map((node) => readStore(nodeExec, node, network.cniName)))).flat();
  }
};

const separator = '--- ';

export const readLedger = async (nodeExec: NodeExec, node: string): Promise<readonly LedgerRecord[]> => {
  const script = `cd /var/lib/dynamic-networks 2>/dev/null || exit 0; for f in *.json; do [ -f "$f" ] && echo "${separator}" && grep '^{' "$f" | tail -n 1; done; true`;
  const files = (await nodeExec(node, ['sh', '-c', script]))
    .split(`${separator}\n`)
    .filter((text) => text.trim() !== '');
  return files.map((text) => {
    const record: LedgerRecord = JSON.parse(text);
    return record;
  });
};
