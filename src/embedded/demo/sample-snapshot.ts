// Snapshots for tests: a running pod whose witnesses all agree, and what differs from that.
import type { InterfaceRow, Snapshot } from './snapshot.ts';

/** An interface that every witness confirms. */
export const sampleRow = (name: string, network: string, address: string): InterfaceRow => ({
  name,
  kernel: { network, mac: `0a:00:00:00:00:${name.length.toString(16).padStart(2, '0')}`, addresses: [address] },
  status: { network, addresses: [address], isDefault: false },
  report: { network, ready: true },
  leased: [address],
});

export const sampleDefault: InterfaceRow = {
  name: 'eth0',
  kernel: { network: 'podnet', mac: '0a:00:00:00:00:ff', addresses: ['10.244.0.3'] },
  status: { network: 'podnet', addresses: ['10.244.0.3'], isDefault: true },
  leased: ['10.244.0.3'],
};

export const sampleSnapshot = (rows: readonly InterfaceRow[], changes: Partial<Snapshot> = {}): Snapshot => ({
  pod: { uid: 'u1', phase: 'Running', networks: undefined },
  rows: [sampleDefault, ...rows],
  leases: [sampleDefault, ...rows].flatMap(({ name, kernel, leased }) =>
    leased.map((address) => ({ network: kernel?.network ?? '', address, interface: name })),
  ),
  condition: { status: 'True', reason: 'AllReady', message: '' },
  events: [],
  leaks: [],
  ...changes,
});

export const noPod: Snapshot = { rows: [], leases: [], events: [], leaks: [] };
