import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TopologyPod } from '../topology.ts';
import { BOX_HEIGHT, layOutMap, MAX_PODS } from './map-layout.ts';

const pod = (name: string, node: string, networks: readonly string[]): TopologyPod => ({
  key: `shop/${name}`,
  namespace: 'shop',
  name,
  node,
  phase: 'Running',
  interfaces: networks.map((network, index) => ({
    interface: `n${index}`,
    network,
    desired: true,
    reported: true,
    ready: network !== 'shop/bad',
    ips: [],
  })),
});

describe('the map', () => {
  it('links networks to pods and pods to nodes', () => {
    const map = layOutMap([pod('a', 'node-1', ['shop/blue', 'shop/bad']), pod('b', 'node-2', ['shop/blue'])], 1000);
    expect(map.boxes.map(({ column, label }) => `${column} ${label}`)).toEqual([
      'network shop/bad',
      'network shop/blue',
      'pod a',
      'pod b',
      'node node-1',
      'node node-2',
    ]);
    expect(map.links.map(({ label }) => label)).toEqual([
      'shop/blue to a: 1 interface',
      'a to node-1: 2 interfaces',
      'shop/bad to a: 1 interface',
      'shop/blue to b: 1 interface',
      'b to node-2: 1 interface',
    ]);
    expect(map.boxes.filter(({ worst }) => worst === 'notReady').map(({ label }) => label)).toEqual([
      'shop/bad',
      'a',
      'node-1',
    ]);
  });

  it('shows networks that nobody is on, without a state and without links', () => {
    const map = layOutMap([pod('a', 'node-1', ['shop/blue'])], 1000, ['shop/blue', 'shop/idle']);
    const networks = map.boxes.filter(({ column }) => column === 'network');
    expect(networks.map(({ label, detail, worst }) => [label, detail, worst])).toEqual([
      ['shop/blue', '1 interface', 'ready'],
      ['shop/idle', 'nobody is on it', undefined],
    ]);
    expect(map.links.filter(({ label }) => label.includes('idle'))).toEqual([]);
  });

  it('links networks to nodes when there are too many pods', () => {
    const pods = Array.from({ length: MAX_PODS + 1 }, (_, index) => pod(`p${index}`, 'node-1', ['shop/blue']));
    const map = layOutMap(pods, 1000);
    expect(map.isAggregated).toBe(true);
    expect(map.links.map(({ label }) => label)).toEqual([`shop/blue to node-1: ${MAX_PODS + 1} interfaces`]);
  });

  it('lets no two boxes overlap, and keeps all of them inside', () => {
    const any = fc.record({
      name: fc.integer({ min: 0, max: 200 }),
      node: fc.constantFrom('a', 'b', 'c'),
      networks: fc.array(fc.constantFrom('s/x', 's/y', 's/z'), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { selector: ({ name }) => name, maxLength: 80 }), (items) => {
        const map = layOutMap(
          items.map(({ name, node, networks }) => pod(`p${name}`, node, networks)),
          900,
        );
        for (const box of map.boxes) {
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + BOX_HEIGHT).toBeLessThanOrEqual(map.height);
          const near = map.boxes.filter(
            (other) => other !== box && other.column === box.column && Math.abs(other.y - box.y) < BOX_HEIGHT,
          );
          expect(near).toEqual([]);
        }
      }),
    );
  });
});
