import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCreationCache } from './creation-cache.ts';

const bytes = (config: string) => Buffer.from(config).toString('base64');
const delegates = [
  { Name: 'podnet', ifnameRequest: 'eth0', Bytes: bytes('{"name":"podnet"}') },
  { Name: 'shop/blue', ifnameRequest: '', Bytes: bytes('{"name":"blau ü"}') },
  { Name: 'shop/red', ifnameRequest: 'data-0', Bytes: bytes('{"name":"red"}') },
  { Name: 'shop/vf', deviceID: '0000:01:00.1', resourceName: 'intel.com/vf', Bytes: bytes('{"name":"green"}') },
];
const answered = (address: string) => ({ ips: [{ address, gateway: '10.0.0.1' }] });
const result = (address: string) => ({ interfaces: [], routes: [], dns: {}, ...answered(address) });

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'multus-cache-'));
  writeFileSync(join(directory, 'sandbox-1'), JSON.stringify(delegates));
  writeFileSync(join(directory, 'corrupt'), '[{"Bytes":');
  writeFileSync(join(directory, 'other-version'), '{"delegates":[]}');
  writeFileSync(join(directory, 'no-bytes'), '[{},{"ifnameRequest":"net1"}]');
  writeFileSync(join(directory, 'empty'), '[]');
  for (const sandbox of ['unplugged', 'no-default', 'cut-off', 'no-result', 'no-files'])
    writeFileSync(join(directory, sandbox), JSON.stringify(delegates));
  mkdirSync(join(directory, 'results'));
  const save = (file: string, text: string) => writeFileSync(join(directory, 'results', file), text);
  const answer = (address: string) => JSON.stringify({ kind: 'cniCacheV1', result: answered(address) });
  save('podnet-sandbox-1-eth0', answer('10.0.0.2/24'));
  save('blue-net-sandbox-1-net1', answer('10.1.0.2/24'));
  save('red-sandbox-1-data-0', answer('10.2.0.2/24'));
  save('green-sandbox-1-net3', answer('10.3.0.2/24'));
  save('podnet-unplugged-eth0', answer('10.0.0.3/24'));
  save('red-unplugged-data-0', answer('10.2.0.3/24'));
  save('red-no-default-data-0', answer('10.2.0.4/24'));
  save('podnet-cut-off-eth0', '{"kind":"cniC');
  save('podnet-no-result-eth0', '{"kind":"cniCacheV0"}');
  save('podnet-empty-eth0', answer('10.0.0.4/24'));
  const inNamespace = (netns: unknown) => JSON.stringify({ kind: 'cniCacheV1', ifName: 'eth0', netns, result: {} });
  save('podnet-first-eth0', inNamespace('/var/run/netns/cni-1'));
  save('podnet-second-eth0', inNamespace('/var/run/netns/cni-2'));
  save('other-net-third-eth0', inNamespace('/var/run/netns/cni-3'));
  save('podnet-third-net1', inNamespace('/var/run/netns/of-net1'));
  save('podnet-secondary-only-net1', inNamespace('/var/run/netns/of-net1'));
  save('podnet-no-path-eth0', inNamespace('cni-5'));
  save('podnet-no-text-eth0', inNamespace(7));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('what Multus attached at pod creation', () => {
  it.each([
    ['an unnamed one is called after its place', 'sandbox-1', 'net1', '{"name":"blau ü"}'],
    ['a named one by its name', 'sandbox-1', 'data-0', '{"name":"red"}'],
    ['a named one is not called after its place', 'sandbox-1', 'net2', undefined],
    ['places count named ones, too', 'sandbox-1', 'net3', '{"name":"green"}'],
    ['the default network is never found', 'sandbox-1', 'eth0', undefined],
    ['an interface that is not there is not found', 'sandbox-1', 'net9', undefined],
    ['a sandbox that is not there is not found', 'sandbox-2', 'net1', undefined],
    ['a file that is corrupt is as good as none', 'corrupt', 'net1', undefined],
    ['a file of another version is as good as none', 'other-version', 'net1', undefined],
    ['a file without configs is as good as none', 'no-bytes', 'net1', undefined],
    ['an id that leaves the directory is not followed', '../sandbox-1', 'net1', undefined],
    ['an id that is the directory itself is not followed', '..', 'net1', undefined],
    ['an empty id is not followed', '', 'net1', undefined],
  ])('%s', async (_, containerId, interfaceName, expected) => {
    expect(await makeCreationCache(directory).findConfig(containerId, interfaceName)).toBe(expected);
  });

  it('is unknown when the directory is not mounted', async () => {
    expect(await makeCreationCache('/nowhere').findConfig('sandbox-1', 'net1')).toBeUndefined();
  });

  it('is told whole, with what the plugins answered', async () => {
    expect(await makeCreationCache(directory).findAttachments('sandbox-1')).toEqual([
      { network: 'podnet', interface: 'eth0', result: result('10.0.0.2/24') },
      { network: 'shop/blue', interface: 'net1', result: result('10.1.0.2/24') },
      { network: 'shop/red', interface: 'data-0', result: result('10.2.0.2/24') },
      { network: 'shop/vf', interface: 'net3', deviceId: '0000:01:00.1', result: result('10.3.0.2/24') },
    ]);
  });

  it('is told without what was unplugged since', async () => {
    expect(await makeCreationCache(directory).findAttachments('unplugged')).toEqual([
      { network: 'podnet', interface: 'eth0', result: result('10.0.0.3/24') },
      { network: 'shop/red', interface: 'data-0', result: result('10.2.0.3/24') },
    ]);
  });

  it('is told by names alone where an answer has no result', async () => {
    const nothing = { interfaces: [], ips: [], routes: [], dns: {} };
    expect(await makeCreationCache(directory).findAttachments('no-result')).toEqual([
      { network: 'podnet', interface: 'eth0', result: nothing },
    ]);
  });

  it.each(['no-files', 'no-default', 'cut-off', 'empty', 'corrupt', 'sandbox-2', '../sandbox-1'])(
    'is unknown: %s',
    async (containerId) => {
      expect(await makeCreationCache(directory).findAttachments(containerId)).toBeUndefined();
    },
  );
});

describe('the network namespace that Multus was given for a sandbox', () => {
  it('is known, whatever the default network is called', () => {
    const cache = makeCreationCache(directory);
    const found = ['first', 'second', 'third', 'first'].map((id) => cache.findNetns(id));
    expect(found).toEqual([1, 2, 3, 1].map((number) => `/var/run/netns/cni-${number}`));
  });

  it('is that of a sandbox that came after the first look', () => {
    const cache = makeCreationCache(directory);
    expect(cache.findNetns('late')).toBeUndefined();
    writeFileSync(join(directory, 'results', 'podnet-late-eth0'), '{"netns":"/var/run/netns/late"}');
    expect(cache.findNetns('late')).toBe('/var/run/netns/late');
    rmSync(join(directory, 'results', 'podnet-late-eth0'));
    expect(cache.findNetns('late')).toBeUndefined();
  });

  it.each([
    'nobody',
    'secondary-only',
    'no-path',
    'no-text',
    'cut-off',
    'sandbox-1',
    '',
    '..',
    '../results/podnet-first',
  ])('is unknown: %s', (containerId) => {
    expect(makeCreationCache(directory).findNetns(containerId)).toBeUndefined();
  });

  it('is unknown when the directory is not mounted', () => {
    expect(makeCreationCache('/nowhere').findNetns('first')).toBeUndefined();
  });
});
