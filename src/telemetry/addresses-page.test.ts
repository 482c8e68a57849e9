import { expect, it } from 'vitest';
import { describeAddresses } from './addresses-page.ts';

const NOW = 10_000_000;
const address = (containerId: string, ageMs: number) => ({
  network: 'blue',
  address: '10.1.0.2',
  containerId,
  interface: 'net1',
  sinceMs: NOW - ageMs,
});

it.each([
  ['of a sandbox that exists is none', address('there', 3_600_000), 0],
  ['of a sandbox that does not exist is one', address('gone', 3_600_000), 1],
  ['of a sandbox that may be on its way is none', address('new', 60_000), 0],
])('an old address %s', (_situation, reservation, leaks) => {
  const page = describeAddresses([reservation], new Set(['there']), NOW);
  expect([page.reserved, page.leaked.length]).toEqual([1, leaks]);
});

it('a leak names network, address, container and interface, and nothing else', () => {
  const { leaked } = describeAddresses([address('gone', 3_600_000)], new Set(), NOW);
  expect(leaked).toEqual([{ network: 'blue', address: '10.1.0.2', containerId: 'gone', interface: 'net1' }]);
});
