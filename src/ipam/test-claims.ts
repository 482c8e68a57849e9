// Claims and networks for tests, with everything that a test does not care about filled in.
import type { NetworkName } from '../model/keys.ts';
import { networkName } from '../model/keys.ts';
import { type Claim, VM_FINALIZER } from './claim.ts';
import { allocatedCondition } from './claim-condition.ts';
import type { PersistentNetwork } from './network-config.ts';
import { readNetworkConfig } from './network-config.ts';
import { buildNetworkTable, type NetworkTable } from './network-table.ts';

export const claimOf = (name: string, fields: Partial<Claim> = {}): Claim => ({
  key: `ns1/${name}`,
  namespace: 'ns1',
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  createdAt: '2026-01-01T00:00:00Z',
  isDeleting: false,
  finalizers: [VM_FINALIZER],
  owners: [],
  vm: undefined,
  pod: undefined,
  nad: undefined,
  requested: [],
  network: 'blue',
  interface: '',
  ips: [],
  hasStatus: false,
  conditions: [],
  ...fields,
});

/** As our allocator leaves it. */
export const allocatedClaim = (name: string, ips: readonly string[], fields: Partial<Claim> = {}): Claim =>
  claimOf(name, {
    ips,
    hasStatus: true,
    conditions: [{ ...allocatedCondition(ips), lastTransitionTime: '2026-01-01T00:00:00Z' }],
    ...fields,
  });

export const networkOf = (config: object): PersistentNetwork => {
  const text = JSON.stringify({ name: 'blue', type: 'macvlan', allowPersistentIPs: true, ...config });
  const reading = readNetworkConfig(networkName('ns1', 'nad-blue'), text);
  if (reading.state !== 'on') throw new Error(JSON.stringify(reading));
  return reading.network;
};

/** NetworkAttachmentDefinitions by `namespace/name`, the first the oldest. */
export const tableOf = (configs: Readonly<Record<string, object | string>>): NetworkTable =>
  buildNetworkTable(
    Object.entries(configs).map(([nad, config], index) => ({
      network: nadOf(nad),
      config:
        typeof config === 'string' ? config : JSON.stringify({ type: 'macvlan', allowPersistentIPs: true, ...config }),
      createdAt: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    })),
  );

export const nadOf = (text: string): NetworkName => {
  const [namespace = '', name = ''] = text.split('/');
  return networkName(namespace, name);
};
