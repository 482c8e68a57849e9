import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDeviceMap } from './read-device-map.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'device-map-'));
});
afterAll(() => rm(dir, { recursive: true }));

const LISTED =
  '{"interfaces":[{"network":"sr1","deviceInfo":{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:65:00.3"}}},{"network":"sr2","deviceInfo":{"type":"pci","pci":{"pci-address":"0000:65:00.2"}}},{"network":"v","deviceInfo":{"type":"vhost-user"}}]}';
const env = {
  KUBEVIRT_RESOURCE_NAME_sr1: 'kubevirt.io/sriov_net-a',
  KUBEVIRT_RESOURCE_NAME_sr2: 'kubevirt.io/sriov_net-a',
  KUBEVIRT_RESOURCE_NAME_sr3: 'intel.com/x',
  'PCIDEVICE_KUBEVIRT_IO_SRIOV_NET-A': '0000:03:00.1,0000:03:00.2',
  PCIDEVICE_INTEL_COM_X: '0000:04:00.1',
};

const read = async (text: string | undefined, options: Parameters<typeof readDeviceMap>[0] = {}) => {
  const file = join(dir, `map-${Math.random()}`);
  if (text !== undefined) await writeFile(file, text);
  const map = await readDeviceMap({ file, env: {}, waitMs: 0, ...options });
  return map.ok ? { ...map, addresses: Object.fromEntries(map.addresses) } : map;
};

describe('the device map inside a pod', () => {
  it.each([
    ['the list of network-info', LISTED],
    ['the flat form of the older key', '{"sr1":"0000:65:00.3","sr2":"0000:65:00.2"}'],
  ])('is read from %s', async (_form, text) => {
    expect(await read(text, { networks: ['sr1', 'sr2'] })).toEqual({
      ok: true,
      source: 'file',
      addresses: { sr1: '0000:65:00.3', sr2: '0000:65:00.2' },
    });
  });

  it.each([
    ['is missing', undefined, /cannot be read/],
    ['is empty', ' ', /is empty/],
    ['is no JSON', '{"interfaces":[', /not valid JSON/],
    ['is a list', '[]', /no JSON object/],
    ['names no device', '{"interfaces":[]}', /has no address for "sr1", "sr2", "sr3"/],
    ['is incomplete', LISTED, /has no address for "sr3"/],
    ['has an address that is none', '{"sr1":"eth0"}', /"sr1" has no PCI address: "eth0"/],
    ['has an address that is no text', '{"sr1":7}', /no PCI address: 7/],
    ['gives one address twice', '{"sr1":"0000:65:00.3","sr2":"0000:65:00.3"}', /shares 0000:65:00.3/],
    ['has a network twice', LISTED.replace('sr2', 'sr1'), /"sr1" is there twice/],
  ])('falls back to the environment, with the reason, when the file %s', async (_situation, text, reason) => {
    expect(await read(text, { env })).toEqual({
      ok: true,
      source: 'environment',
      addresses: { sr1: '0000:03:00.1', sr2: '0000:03:00.2', sr3: '0000:04:00.1' },
      reason: expect.stringMatching(reason),
    });
  });

  it.each([
    ['names no network', {}, /has no KUBEVIRT_RESOURCE_NAME_<network>/],
    [
      'has too few addresses',
      { ...env, 'PCIDEVICE_KUBEVIRT_IO_SRIOV_NET-A': '0000:03:00.1' },
      /no address left for network "sr2"/,
    ],
    ['lacks the variable of a resource', { KUBEVIRT_RESOURCE_NAME_a: 'x/y' }, /PCIDEVICE_X_Y has no address left/],
    [
      'has something else than addresses',
      { KUBEVIRT_RESOURCE_NAME_a: 'x', PCIDEVICE_X: 'one, two' },
      /PCIDEVICE_X has no address left/,
    ],
  ])('is refused with both reasons when the environment %s', async (_situation, environment, reason) => {
    const map = await read(undefined, { env: environment });
    expect(map).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
    expect(map).toMatchObject({ reason: expect.stringContaining('cannot be read') });
  });

  it('never hands out one address twice, also when resources overlap', async () => {
    const overlapping = {
      KUBEVIRT_RESOURCE_NAME_a: 'x',
      KUBEVIRT_RESOURCE_NAME_b: 'y',
      PCIDEVICE_X: '0000:03:00.1',
      PCIDEVICE_Y: '0000:03:00.1,0000:03:00.2',
    };
    expect(await read(undefined, { env: overlapping })).toMatchObject({
      addresses: { a: '0000:03:00.1', b: '0000:03:00.2' },
    });
  });

  it('waits for the file to be filled', async () => {
    const file = join(dir, 'late');
    await writeFile(file, '');
    const reading = readDeviceMap({ file, env: {}, waitMs: 60_000 });
    await writeFile(file, '{"sr1":"0000:65:00.3"}');
    expect(await reading).toMatchObject({ ok: true, source: 'file' });
  });

  it('stops waiting when it is told to', async () => {
    const signal = AbortSignal.abort();
    await expect(readDeviceMap({ file: join(dir, 'never'), env: {}, waitMs: 60_000, signal })).rejects.toThrow();
  });
});
