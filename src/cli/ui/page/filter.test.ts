import { describe, expect, it } from 'vitest';
import type { TopologyPod } from '../topology.ts';
import { type Filter, filterPod, NO_FILTER } from './filter.ts';

const pod: TopologyPod = {
  key: 'shop/web-1',
  namespace: 'shop',
  name: 'web-1',
  node: 'node-a',
  vm: 'router',
  phase: 'Running',
  interfaces: [
    { interface: 'b0', network: 'shop/blue', desired: true, reported: true, ready: true, ips: ['10.1.0.2'] },
    {
      interface: 'r0',
      network: 'shop/red',
      desired: true,
      reported: false,
      ready: false,
      reason: 'NetworkNotFound',
      ips: [],
    },
  ],
};

describe('a filter', () => {
  it.each<[string, Partial<Filter>, string[] | undefined]>([
    ['nothing', {}, ['b0', 'r0']],
    ['a name of the pod, in any case', { text: 'WEB' }, ['b0', 'r0']],
    ['the virtual machine', { text: 'router' }, ['b0', 'r0']],
    ['an address', { text: '10.1.0' }, ['b0']],
    ['a reason', { text: 'notfound' }, ['r0']],
    ['words that are all there', { text: 'web red' }, ['r0']],
    ['words of which one is missing', { text: 'web green' }, undefined],
    ['a state', { state: 'notReady' }, ['r0']],
    ['a state that nothing has', { state: 'pending' }, undefined],
    ['a network', { network: 'shop/blue' }, ['b0']],
    ['its node', { node: 'node-a' }, ['b0', 'r0']],
    ['another node', { node: 'node-b' }, undefined],
    ['another namespace', { namespace: 'other' }, undefined],
  ])('by %s', (_name, filter, expected) => {
    const shown = filterPod(pod, { ...NO_FILTER, ...filter });
    expect(shown?.interfaces.map((item) => item.interface)).toEqual(expected);
  });

  it('gives back the very pod when all of it passes, so that its card need not be made anew', () => {
    expect(filterPod(pod, { ...NO_FILTER, text: 'web' })).toBe(pod);
  });

  it('shows a pod whose annotation cannot be understood, though it has no interface', () => {
    const bare = { ...pod, interfaces: [], ready: false, reason: 'InvalidNetworks' };
    expect(filterPod(bare, { ...NO_FILTER, state: 'notReady' })).toBe(bare);
    expect(filterPod(bare, { ...NO_FILTER, text: 'invalid' })).toBe(bare);
    expect(filterPod(bare, { ...NO_FILTER, state: 'ready' })).toBeUndefined();
    expect(filterPod(bare, { ...NO_FILTER, network: 'shop/blue' })).toBeUndefined();
  });
});
