// What is taken away from somebody's cluster at the end of a run, tried on whatever cluster this one runs against.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { attachPlace } from '../place-of-target.ts';
import { inNode } from './layout.ts';
import type { Place, PlaceNode } from './place.ts';
import { rememberTraces } from './traces.ts';

const target = inject('target');
const storesDir = inNode.hostLocalStore;
const ofPools = ['-n', 'kube-system', 'ippools.whereabouts.cni.cncf.io'] as const;

let place: Place;
let node: PlaceNode;

const onNode = (script: string, ...args: readonly string[]): Promise<string> =>
  node.run(['sh', '-c', script, 'sh', ...args]);
const ip = (command: string): Promise<string> => onNode(`nsenter -t 1 -n ip ${command}`);

const writePool = (name: string, allocations: object): Promise<string> => {
  const metadata = { name, namespace: 'kube-system' };
  const spec = { range: '10.99.0.0/24', allocations };
  const pool = { apiVersion: 'whereabouts.cni.cncf.io/v1alpha1', kind: 'IPPool', metadata, spec };
  return place.kubectl(['apply', '--filename', '-'], JSON.stringify(pool));
};

/** As CNI plugins leave them on the node and in the API: a bridge, a store and a pool of that name, and nothing in them. */
const make = async (name: string): Promise<void> => {
  await ip(`link add ${name} type bridge`);
  await onNode('mkdir -p "$1" && touch "$1/lock" "$1/last_reserved_ip.0"', `${storesDir}/${name}`);
  await writePool(name, {});
};

const use = async (name: string): Promise<void> => {
  await ip('link add traces-part type veth peer name traces-peer');
  await ip(`link set traces-part master ${name}`);
  await onNode('echo somebody > "$1"', `${storesDir}/${name}/10.99.0.2`);
  await writePool(name, { '2': { id: 'somebody', podref: 'some/body' } });
};

const leave = async (name: string): Promise<void> => {
  await ip('link delete traces-part');
  await onNode('rm "$1"', `${storesDir}/${name}/10.99.0.2`);
  await writePool(name, {});
};

const expectTraces = async (...names: readonly string[]): Promise<void> => {
  const ours = (text: string) => [...(text.match(/traces-\w+/g) ?? [])].toSorted();
  expect({
    bridges: ours(await ip('-o link show type bridge')),
    stores: ours(await onNode('ls "$1"', storesDir)),
    pools: ours(await place.kubectl(['get', ...ofPools, '--output', 'name'])),
  }).toEqual({ bridges: names, stores: names, pools: names });
};

const removeAll = async (): Promise<void> => {
  const names = ['traces-before', 'traces-empty', 'traces-used'];
  for (const link of [...names, 'traces-part']) await ip(`link delete ${link} 2>/dev/null || true`);
  await onNode(`cd "$1" && rm -rf ${names.join(' ')}`, storesDir);
  await place.kubectl(['delete', ...ofPools, ...names, '--ignore-not-found']);
};

beforeAll(async () => {
  place = await attachPlace(target);
  const last = place.nodes.at(-1);
  if (last === undefined) throw new Error('the cluster has no node');
  node = last;
  await removeAll();
});
afterAll(removeAll);

it('what came since and holds nothing goes, what was there or is in use stays', async () => {
  await make('traces-before');
  const takeAway = await rememberTraces(place);
  await make('traces-empty');
  await make('traces-used');
  await use('traces-used');
  await expectTraces('traces-before', 'traces-empty', 'traces-used');

  await takeAway();
  await expectTraces('traces-before', 'traces-used');

  await leave('traces-used');
  await takeAway();
  await expectTraces('traces-before');
});
