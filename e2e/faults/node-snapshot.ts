// What one node really holds for the pods of a namespace, in a single look: network namespaces, address stores, the ledger.
import * as z from 'zod';
import { inNode } from '../cluster/layout.ts';
import type { NodeExec } from '../node-exec.ts';
import type { LedgerRecord } from '../node-state.ts';

export type SandboxSnapshot = {
  readonly id: string;
  readonly podUid: string;
  /** Path of the network namespace. */
  readonly netns: string;
  /** IPv4 address by interface, without loopback and the default network; an interface without one has ''. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Interfaces that Multus attached when it made the sandbox. */
  readonly fromCreation: readonly string[];
};

/** An address that somebody holds, wherever it is noted. */
export type HeldAddress = { readonly address: string; readonly containerId: string; readonly interface: string };

export type NodeSnapshot = {
  readonly sandboxes: readonly SandboxSnapshot[];
  readonly held: readonly HeldAddress[];
  readonly ledger: readonly LedgerRecord[];
};

const links = z.array(
  z.object({
    ifname: z.string(),
    addr_info: z.optional(z.array(z.object({ family: z.string(), local: z.string() }))),
  }),
);
const multusCache = z.array(z.object({ ifnameRequest: z.optional(z.string()) }));

/** One line per thing: its kind, then tab-separated fields. Argument: the namespace, with which names of networks begin. */
const script = `
for config in /run/containerd/io.containerd.runtime.v2.task/k8s.io/*/config.json; do
  grep -q '"io.kubernetes.cri.container-type":"sandbox"' "$config" 2>/dev/null || continue
  grep -q "\\"io.kubernetes.cri.sandbox-namespace\\":\\"$1\\"" "$config" || continue
  id=$(basename "$(dirname "$config")")
  uid=$(grep -o '"io.kubernetes.cri.sandbox-uid":"[^"]*"' "$config" | cut -d'"' -f4)
  net=$(grep -o '"type":"network","path":"[^"]*"' "$config" | cut -d'"' -f8)
  links=$(nsenter --net="$net" ip -json address show 2>/dev/null) || continue
  printf 'sandbox\\t%s\\t%s\\t%s\\t%s\\t%s\\n' "$id" "$uid" "$net" "$links" "$(tr -d '\\n' <"/var/lib/cni/multus/$id" 2>/dev/null)"
done
for file in ${inNode.hostLocalStore}/"$1"-*/*.*.*.*; do
  [ -f "$file" ] && printf 'held\\t%s\\t%s\\n' "\${file##*/}" "$(tr -s '\\r\\n' '\\t' <"$file")"
done
for file in /var/lib/dynamic-networks/*.json; do
  [ -f "$file" ] && printf 'ledger\\t%s\\n' "$(grep '^{' "$file" | tail -n 1)"
done
true`;

export const lookAtNode = async (nodeExec: NodeExec, node: string, namespace: string): Promise<NodeSnapshot> => {
  const output = await nodeExec(node, ['sh', '-c', script, 'sh', namespace]);
  const rows = output.split('\n').map((line) => line.split('\t'));
  const of = (kind: string): string[][] => rows.filter(([first]) => first === kind).map(([, ...fields]) => fields);
  return {
    sandboxes: of('sandbox').map(([id = '', podUid = '', netns = '', linksText = '', cacheText = '']) => ({
      id,
      podUid,
      netns,
      addresses: addressesIn(linksText),
      fromCreation: cacheText === '' ? [] : namesIn(cacheText),
    })),
    held: of('held').map(([address = '', containerId = '', name = '']) => ({ address, containerId, interface: name })),
    ledger: of('ledger')
      .map(([text = '']) => parseRecord(text))
      .filter((record) => record.namespace === namespace),
  };
};

const parseRecord = (text: string): LedgerRecord => {
  const record: LedgerRecord = JSON.parse(text);
  return record;
};

const addressesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    links
      .parse(JSON.parse(text))
      .filter(({ ifname }) => ifname !== 'lo' && ifname !== 'eth0')
      .map(({ ifname, addr_info }) => [ifname, addr_info?.find(({ family }) => family === 'inet')?.local ?? '']),
  );

const namesIn = (text: string): string[] =>
  multusCache.parse(JSON.parse(text)).flatMap(({ ifnameRequest }) => ifnameRequest ?? []);
