import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CertificateDirectory } from './certificate-directory.ts';
import { makeCertificate } from './make-certificate.ts';
import type { ServingPair } from './serving-pair.ts';
import { NAMES } from './test-certificates.ts';

let path = '';
let now = new Date('2026-03-01T00:00:00Z');
let served: ServingPair[] = [];

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'certificate-'));
  served = [];
});
afterEach(() => rm(path, { recursive: true }));

const directory = () =>
  new CertificateDirectory({ path, names: NAMES, now: () => now, onServe: (pair) => served.push(pair) });

const provide = async (names = NAMES): Promise<ServingPair> => {
  const { pair } = await makeCertificate(names, now);
  await writeFile(join(path, 'tls.crt'), pair.certPem);
  await writeFile(join(path, 'tls.key'), pair.keyPem);
  return pair;
};

it('serves what is there, once, and what comes after it', async () => {
  const files = directory();
  const first = await provide();
  await files.refresh();
  await files.refresh();
  const second = await provide();
  await files.refresh();
  expect(served).toEqual([first, second]);
  expect(files.expiry).toEqual(new Date('2026-05-30T00:00:00Z'));
});

it('keeps serving the last sound one when the files are half-written', async () => {
  const files = directory();
  const first = await provide();
  await files.refresh();
  await writeFile(join(path, 'tls.key'), '');
  await expect(files.refresh()).rejects.toThrow('cannot be served');
  expect(served).toEqual([first]);
});

it.each([
  ['is missing', async () => undefined, 'ENOENT'],
  ['is for another name', () => provide(['elsewhere.svc']), 'it is not for webhook.dynamic-networks.svc'],
  [
    'is expired',
    async () => {
      await provide();
      now = new Date('2027-01-01T00:00:00Z');
    },
    'it expired on 2026-05-30',
  ],
])('says why one that %s is not served', async (_, arrange, why) => {
  await arrange();
  await expect(directory().refresh()).rejects.toThrow(why);
  expect(served).toEqual([]);
  now = new Date('2026-03-01T00:00:00Z');
});
