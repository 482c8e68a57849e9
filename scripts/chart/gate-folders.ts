import type { Gate } from '../../src/config/feature-gates.ts';

/** A gate's folder in deploy/gates. */
export const gateFolders: Readonly<Record<Gate, string>> = {
  HotplugNICs: 'hotplug-nics',
  PodInterfaceName: 'pod-interface-name',
  DeviceMap: 'device-map',
  NodeNetwork: 'node-network',
  VMPersistentIPs: 'vm-persistent-ips',
  NetworksAdmission: 'networks-admission',
};
