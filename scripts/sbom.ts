// The image's bill of materials, from what the bundler read: `npm run sbom`, after or without `npm run image`.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { composeSbom, type LockedPackage } from './sbom-document.ts';

const root = resolve(import.meta.dirname, '..');
const readJson = async <T>(file: string): Promise<T> => {
  const value: T = JSON.parse(await readFile(resolve(root, file), 'utf8'));
  return value;
};

const inputsOf = (file: string) => readJson<readonly string[]>(`dist/${file}.inputs.json`);
const bundled = [
  ...new Set([...(await inputsOf('dynamic-networks.mjs')), ...(await inputsOf('dynamic-networks-controller.mjs'))]),
];
const { packages } = await readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
const document = composeSbom({ name: packageJson.name, version: packageJson.version, bundled, locked: packages });
await writeFile(resolve(root, 'dist/sbom.cdx.json'), `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write('dist/sbom.cdx.json\n');
