// What CNI plugins leave behind when all pods are gone, as they do after anybody's pods: bridges and address stores on nodes, pools
// in the API. On somebody's cluster what the run made is taken away: what was not there before it, and holds nothing.
import { inNode } from './layout.ts';
import type { Place, PlaceNode } from './place.ts';

/** By whatever way commands get to a node, the first process is in its own network namespace. */
const inNodeNetwork = ['nsenter', '-t', '1', '-n', 'ip'];
const poolKind = 'ippools.whereabouts.cni.cncf.io';

type Pool = {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: { readonly allocations?: Readonly<Record<string, unknown>> };
};

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const pathOf = ({ metadata }: Pool): string => `${metadata.namespace}/${metadata.name}`;

const bridgesOf = async (node: PlaceNode): Promise<readonly string[]> => {
  const links: readonly { readonly ifname?: string }[] = JSON.parse(
    await node.run([...inNodeNetwork, '-json', 'link', 'show', 'type', 'bridge']),
  );
  // Some versions of iproute2 answer with an empty object for each link of another type.
  return links.flatMap(({ ifname }) => ifname ?? []);
};

const storesOf = async (node: PlaceNode): Promise<readonly string[]> =>
  linesOf(await node.run(['sh', '-c', 'ls "$1" 2>/dev/null || true', 'sh', inNode.hostLocalStore]));

const poolsOf = async ({ kubectl }: Place): Promise<readonly Pool[]> => {
  const { items }: { items: readonly Pool[] } = JSON.parse(
    await kubectl(['get', poolKind, '--all-namespaces', '--output', 'json']),
  );
  return items;
};

/** A bridge of which no interface is a part. */
const removeBridge = `[ -n "$(nsenter -t 1 -n ip -o link show master "$1")" ] || nsenter -t 1 -n ip link delete "$1"`;
/** A store that has no address: only its lock, and where it went on counting. */
const removeStore = `cd "$1" && { ls | grep -qv -e '^lock$' -e '^last_reserved_ip' || rm -r "$1"; }`;

/** Of what is there now; the answer takes away what came since then. */
export const rememberTraces = async (place: Place): Promise<() => Promise<void>> => {
  const lookAt = async (node: PlaceNode) => ({ bridges: await bridgesOf(node), stores: await storesOf(node) });
  const before = new Map(await Promise.all(place.nodes.map(async (node) => [node.name, await lookAt(node)] as const)));
  const poolsBefore = new Set((await poolsOf(place)).map(pathOf));

  const tidyNode = async (node: PlaceNode): Promise<void> => {
    const [then, now] = [before.get(node.name), await lookAt(node)];
    const isNew = (kind: 'bridges' | 'stores') => now[kind].filter((name) => !then?.[kind].includes(name));
    const run = (script: string, what: string) => node.run(['sh', '-c', script, 'sh', what]);
    for (const bridge of isNew('bridges')) await run(removeBridge, bridge);
    for (const store of isNew('stores')) await run(removeStore, `${inNode.hostLocalStore}/${store}`);
  };
  const tidyPools = async (): Promise<void> => {
    const isEmpty = ({ spec }: Pool) => Object.keys(spec.allocations ?? {}).length === 0;
    const ours = (await poolsOf(place)).filter((pool) => !poolsBefore.has(pathOf(pool)) && isEmpty(pool));
    for (const { metadata } of ours) await place.kubectl(['-n', metadata.namespace, 'delete', poolKind, metadata.name]);
  };
  return async () => {
    await Promise.all([...place.nodes.map(tidyNode), tidyPools()]);
  };
};
