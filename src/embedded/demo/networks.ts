// The networks of the demo: small bridges, each with its own addresses.
import type { EmbeddedCluster } from '../cluster.ts';

export interface DemoNetwork {
  readonly namespace: string;
  readonly name: string;
  readonly subnet: string;
}

export const demoNetworks: readonly DemoNetwork[] = [
  { namespace: 'default', name: 'blue', subnet: '10.10.1.0/24' },
  { namespace: 'default', name: 'green', subnet: '10.10.2.0/24' },
  { namespace: 'default', name: 'red', subnet: '10.10.3.0/24' },
  { namespace: 'infra', name: 'storage', subnet: '10.20.0.0/24' },
];

export const createDemoNetworks = (cluster: EmbeddedCluster): void => {
  for (const { namespace, name, subnet } of demoNetworks) {
    const ipam = { type: 'host-local', ranges: [[{ subnet }]] };
    const capabilities = { ips: true, mac: true };
    const config = { cniVersion: '0.3.1', name, type: 'bridge', bridge: `br-${name}`, capabilities, ipam };
    cluster.createNad({ namespace, name, config });
  }
};
