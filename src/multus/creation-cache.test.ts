import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFindCreationConfig } from './creation-cache.ts';

const bytes = (config: string) => Buffer.from(config).toString('base64');
const delegates = [
  { ifnameRequest: 'eth0', Bytes: bytes('{"name":"podnet"}') },
  { ifnameRequest: '', Bytes: bytes('{"name":"blau ü"}') },
  { ifnameRequest: 'data0', Bytes: bytes('{"name":"red"}') },
  { Bytes: bytes('{"name":"green"}') },
];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'multus-cache-'));
  writeFileSync(join(directory, 'sandbox-1'), JSON.stringify(delegates));
  writeFileSync(join(directory, 'corrupt'), '[{"Bytes":');
  writeFileSync(join(directory, 'other-version'), '{"delegates":[]}');
  writeFileSync(join(directory, 'no-bytes'), '[{},{"ifnameRequest":"net1"}]');
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('what Multus attached at pod creation', () => {
  it.each([
    ['an unnamed one is called after its place', 'sandbox-1', 'net1', '{"name":"blau ü"}'],
    ['a named one by its name', 'sandbox-1', 'data0', '{"name":"red"}'],
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
    expect(await makeFindCreationConfig(directory)(containerId, interfaceName)).toBe(expected);
  });

  it('is unknown when the directory is not mounted', async () => {
    expect(await makeFindCreationConfig('/nowhere')('sandbox-1', 'net1')).toBeUndefined();
  });
});
