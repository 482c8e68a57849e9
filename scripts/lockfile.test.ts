// `npm ci` refuses a lock file that lacks an optional package, such as a compiler's build for another platform; and npm leaves
// these out where the registry at hand does not have them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Locked {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version?: string;
        readonly integrity?: string;
        readonly optional?: boolean;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const { packages }: Locked = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8'));

it('the lock file knows the build of every package for every platform', () => {
  const wanted = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  );
  expect(wanted).toEqual([]);
});

it('the lock file names no registry: the one that is configured is used', () => {
  expect(JSON.stringify(packages)).not.toMatch(/"resolved":"https?:/);
});

it('the lock file pins every package to a version and a hash; only builds for other platforms may lack the hash', () => {
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  expect(installed.filter(([, { version }]) => !/^\d+\.\d+\.\d+/.test(version ?? '')).map(([path]) => path)).toEqual(
    [],
  );
  const unhashed = installed.filter(([, { integrity, optional }]) => !optional && !integrity?.startsWith('sha512-'));
  expect(unhashed.map(([path]) => path)).toEqual([]);
});
