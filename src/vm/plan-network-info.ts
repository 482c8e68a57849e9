// The map from a machine's networks to the devices behind them, as annotations of its pod: the Downward API shows them to
// whatever runs inside. Only networks that hand a device to the guest are in it.
import { goJson, type JsonObject } from '../model/json.ts';
import type { StatusEntry } from '../model/network-status.ts';
import type { BindingPlugins } from './binding-plugins.ts';
import { normalDeviceInfo, pciAddressIn } from './device-info.ts';
import { PRIMARY_INTERFACE, schemeOf, secondaryNames } from './interface-names.ts';
import { findPrimary, type NetworkSpec, type VmInterface } from './network-spec.ts';

export interface NetworkInfo {
  /** Value of `kubevirt.io/network-info`. */
  readonly info: string;
  /** Value of `kubevirt.io/network-to-pci-address`; undefined when no device has a PCI address. */
  readonly pciAddresses: string | undefined;
}

/**
 * Undefined when no device is known. Then the annotations stay as they were: a pod whose status is being rewritten must not
 * lose the devices that its guest holds.
 */
export const planNetworkInfo = ({
  spec,
  reported,
  plugins,
}: {
  readonly spec: NetworkSpec;
  readonly reported: readonly StatusEntry[];
  readonly plugins: BindingPlugins;
}): NetworkInfo | undefined => {
  const secondaries = secondaryNames(spec.networks, schemeOf(reported));
  const primary = findPrimary(spec.networks)?.name;
  // Where a name is reported twice the last entry counts, as for KubeVirt.
  const byInterface = new Map(reported.map((entry) => [entry.interface, entry]));
  const devices = spec.interfaces
    .filter((iface) => needsDevice(iface, plugins))
    .flatMap(({ name }): [string, JsonObject][] => {
      const iface = name === primary ? PRIMARY_INTERFACE : secondaries.get(name);
      const device = iface === undefined ? undefined : normalDeviceInfo(byInterface.get(iface)?.['device-info']);
      return device === undefined ? [] : [[name, device]];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (devices.length === 0) return undefined;
  const addresses = devices.flatMap(([network, device]) => {
    const address = pciAddressIn(device);
    return address === undefined ? [] : [`${goJson(network)}:${goJson(address)}`];
  });
  return {
    info: goJson({ interfaces: devices.map(([network, deviceInfo]) => ({ network, deviceInfo })) }),
    pciAddresses: addresses.length === 0 ? undefined : `{${addresses.join(',')}}`,
  };
};

const needsDevice = ({ binding, plugin }: VmInterface, plugins: BindingPlugins): boolean =>
  binding === 'sriov' || (binding === 'plugin' && plugins.get(plugin ?? '')?.needsDeviceInfo === true);
