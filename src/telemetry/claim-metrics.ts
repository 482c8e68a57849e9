// Prometheus metrics of the address pools, on the controller's registry.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { METRIC_PREFIX } from './controller-metrics.ts';

export interface PoolSource {
  readonly network: string;
  /** Claims that wait for an address. */
  readonly waiting: number;
  readonly usage: readonly { readonly family: string; readonly size: bigint; readonly free: bigint }[];
}

export const createClaimMetrics = (registry: Registry, pools: () => Iterable<PoolSource>) => {
  const registers = [registry];
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    values: (pool: PoolSource) => readonly { readonly labels: Record<string, string>; readonly value: number }[],
  ) =>
    new Gauge({
      name: METRIC_PREFIX + name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const pool of pools()) for (const { labels, value } of values(pool)) this.set(labels, value);
      },
    });
  const perFamily = (read: (usage: PoolSource['usage'][number]) => bigint) => (pool: PoolSource) =>
    pool.usage.map((usage) => ({
      labels: { network: pool.network, family: usage.family },
      value: Number(read(usage)),
    }));

  gauge(
    'ip_pool_size',
    'Addresses that a network can give',
    ['network', 'family'],
    perFamily(({ size }) => size),
  );
  gauge(
    'ip_pool_used',
    'Addresses that claims or pods have',
    ['network', 'family'],
    perFamily(({ size, free }) => size - free),
  );
  gauge('ip_claims_waiting', 'Claims that wait for an address', ['network'], (pool) => [
    { labels: { network: pool.network }, value: pool.waiting },
  ]);
  const latency = new Histogram({
    name: `${METRIC_PREFIX}ip_allocation_duration_seconds`,
    help: 'From when a claim without addresses was seen until it had them',
    labelNames: ['network'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers,
  });
  const refused = new Counter({
    name: `${METRIC_PREFIX}ip_allocation_failures_total`,
    help: 'Claims that were told why they get no address, by reason',
    labelNames: ['network', 'reason'],
    registers,
  });
  return {
    allocated: (network: string, waitedMs: number) => latency.observe({ network }, waitedMs / 1000),
    refused: (network: string, reason: string) => refused.inc({ network, reason }),
  };
};
