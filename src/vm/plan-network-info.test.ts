import { describe, expect, it } from 'vitest';
import { NO_PLUGINS, viewBindingPlugins } from './binding-plugins.ts';
import { hashedName } from './interface-names.ts';
import { planNetworkInfo } from './plan-network-info.ts';
import { bridge, masquerade, multus, pciDevice, podNetwork, reported, spec, sriov } from './test-machines.ts';

const [SR1, SR2] = ['sr1', 'sr2'].map(hashedName) as [string, string];
const twoDevices = spec(
  [podNetwork, multus('sr2'), multus('sr1'), multus('blue')],
  [masquerade, sriov('sr2'), sriov('sr1'), bridge('blue')],
);

describe('the device map', () => {
  it('is, byte for byte, what KubeVirt writes, and the flat map of the older key', () => {
    const plan = planNetworkInfo({
      spec: twoDevices,
      reported: reported(
        pciDevice(SR2, '0000:65:00.2'),
        pciDevice(SR1, '0000:65:00.3', { 'representor-device': 'dropped' }),
      ),
      plugins: NO_PLUGINS,
    });
    expect(plan).toEqual({
      info: '{"interfaces":[{"network":"sr1","deviceInfo":{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:65:00.3","rdma-device":"mlx5_2"}}},{"network":"sr2","deviceInfo":{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:65:00.2","rdma-device":"mlx5_2"}}}]}',
      pciAddresses: '{"sr1":"0000:65:00.3","sr2":"0000:65:00.2"}',
    });
  });

  it.each([
    ['no device is reported', reported(SR1, SR2)],
    ['the pod has no status', []],
    ['only a network without SR-IOV has a device', reported(pciDevice(hashedName('blue'), '0000:65:00.2'))],
    ['what stands there is no device', reported({ name: 'x', interface: SR1, 'device-info': 'odd' })],
  ])('says nothing when %s', (_situation, entries) => {
    expect(planNetworkInfo({ spec: twoDevices, reported: entries, plugins: NO_PLUGINS })).toBeUndefined();
  });

  it('has the networks that are there already', () => {
    const plan = planNetworkInfo({
      spec: twoDevices,
      reported: reported(pciDevice(SR1, '0000:65:00.3')),
      plugins: NO_PLUGINS,
    });
    expect(plan?.pciAddresses).toBe('{"sr1":"0000:65:00.3"}');
  });

  it('sorts names as texts, also those that look like numbers', () => {
    const names = ['10', '9', '2'];
    const machine = spec(
      names.map((name) => multus(name)),
      names.map((name) => sriov(name)),
    );
    const entries = names.map((name, index) => pciDevice(hashedName(name), `0000:65:00.${index}`));
    expect(planNetworkInfo({ spec: machine, reported: entries, plugins: NO_PLUGINS })?.pciAddresses).toBe(
      '{"10":"0000:65:00.0","2":"0000:65:00.2","9":"0000:65:00.1"}',
    );
  });

  it('has other kinds of devices in the list, and only PCI addresses in the flat map', () => {
    const vhost = {
      name: 'n',
      interface: SR1,
      'device-info': { type: 'vhost-user', 'vhost-user': { path: '/p', mode: 'client' }, pci: {} },
    };
    expect(planNetworkInfo({ spec: twoDevices, reported: reported(vhost), plugins: NO_PLUGINS })).toEqual({
      info: '{"interfaces":[{"network":"sr1","deviceInfo":{"type":"vhost-user","pci":{},"vhost-user":{"mode":"client","path":"/p"}}}]}',
      pciAddresses: undefined,
    });
  });

  it('has the networks of plugins that ask for it', () => {
    const plugins = viewBindingPlugins({
      spec: { configuration: { network: { binding: { vdpa: { downwardAPI: 'device-info' }, bare: {} } } } },
    });
    const machine = spec(
      [multus('a'), multus('b')],
      [
        { name: 'a', binding: { name: 'vdpa' } },
        { name: 'b', binding: { name: 'bare' } },
      ],
    );
    const entries = ['a', 'b'].map((name, index) => pciDevice(hashedName(name), `0000:65:00.${index}`));
    expect(planNetworkInfo({ spec: machine, reported: entries, plugins })?.pciAddresses).toBe('{"a":"0000:65:00.0"}');
  });
});
