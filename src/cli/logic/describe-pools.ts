// How full the networks are whose addresses we give out, by the allocator's own pools, rebuilt from the claims as it does itself.
import { formatCidr } from '../../ipam/address-number.ts';
import { AddressPool } from '../../ipam/address-pool.ts';
import { type Claim, findAllocatedCondition } from '../../ipam/claim.ts';
import { holdingOf } from '../../ipam/holding.ts';
import { buildNetworkTable, type NetworkSource } from '../../ipam/network-table.ts';

export interface PoolDescription {
  readonly network: string;
  readonly family: string;
  readonly subnets: readonly string[];
  /** As text: a network of IPv6 has more addresses than a number of JSON can count. */
  readonly size: string;
  readonly used: string;
  readonly free: string;
  readonly usedPercent: number;
  readonly claims: number;
  /** Claims that got no address. */
  readonly waiting: number;
}

export interface PoolProblem {
  readonly network: string;
  readonly problem: string;
}

export const describePools = (
  sources: readonly NetworkSource[],
  claims: readonly Claim[],
): { readonly pools: readonly PoolDescription[]; readonly problems: readonly PoolProblem[] } => {
  const table = buildNetworkTable(sources);
  const pools = [...table.pools].flatMap(([name, network]) => {
    const own = claims.filter((claim) => claim.network === name);
    const pool = new AddressPool(network);
    for (const claim of own) pool.setClaim(holdingOf(claim));
    return pool.usage().map(({ family, size, free }): PoolDescription => {
      const used = size - free;
      return {
        network: name,
        family,
        subnets: network.subnets.filter((subnet) => subnet.family === family).map(formatCidr),
        size: String(size),
        used: String(used),
        free: String(free),
        usedPercent: size === 0n ? 100 : Number((used * 1000n) / size) / 10,
        claims: own.length,
        waiting: own.filter((claim) => findAllocatedCondition(claim)?.status === 'False').length,
      };
    });
  });
  const problems = sources.flatMap(({ network }) => {
    const reading = table.findReading(network);
    return reading?.state === 'invalid' || reading?.state === 'unreadable'
      ? [{ network, problem: reading.problem }]
      : [];
  });
  return { pools, problems };
};
