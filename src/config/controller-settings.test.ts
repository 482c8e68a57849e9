import { describe, expect, it } from 'vitest';
import { checkControllerSettings, controllerFields } from './controller-settings.ts';
import { loadSettings } from './load-settings.ts';

const required = { podNamespace: 'ns', podName: 'p' };
const load = (flags: Record<string, string>) =>
  loadSettings(controllerFields, { flags: { ...required, ...flags }, env: {}, file: undefined });

describe('feature gates', () => {
  it.each([
    ['', []],
    ['HotplugNICs=true', ['HotplugNICs']],
    ['HotplugNICs=true, DeviceMap=true', ['HotplugNICs', 'DeviceMap']],
    ['HotplugNICs=true,HotplugNICs=false,DeviceMap=true', ['DeviceMap']],
    ['HotplugNICs=false,HotplugNICs=true,', ['HotplugNICs']],
  ])('%j turns on %j', async (featureGates, expected) => {
    expect([...(await load({ featureGates })).featureGates]).toEqual(expected);
  });

  it.each(['HotPlugNICs=true', 'HotplugNICs', 'HotplugNICs=yes', 'HotplugNICs=true=true', '__proto__=true'])(
    '%j is refused, with the names that there are',
    async (featureGates) => {
      await expect(load({ featureGates })).rejects.toThrow(
        `featureGates (from flag --feature-gates) is ${JSON.stringify(featureGates)}; allowed: NAME=true or NAME=false, separated by commas; names: HotplugNICs, PodInterfaceName, DeviceMap, VMPersistentIPs, NodeNetwork, NetworksAdmission`,
      );
    },
  );
});

describe('the times of the lease', () => {
  it('fit together by default', async () => {
    const settings = await load({});
    expect(() => checkControllerSettings(settings)).not.toThrow();
  });

  it.each([
    [{ renewDeadline: '15s' }, 'renewDeadline is 15000 ms; allowed: less than leaseDuration, which is 15000 ms'],
    [{ leaseRetry: '4s' }, 'leaseRetry is 4000 ms; allowed: at most a third of renewDeadline, which is 10000 ms'],
  ])('%j is refused: %s', async (flags, message) => {
    const settings = await load(flags);
    expect(() => checkControllerSettings(settings)).toThrow(message);
  });
});
