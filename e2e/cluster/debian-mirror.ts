// The Debian mirror that this machine itself installs packages from; debootstrap asks the same one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const mainFile = '/etc/apt/sources.list';
const folder = '/etc/apt/sources.list.d';

/** Every address in apt's sources, one-line and deb822 style, that serves Debian packages. */
export const debianMirrorsIn = (sources: readonly string[]): readonly string[] =>
  sources
    .flatMap((text) => text.split('\n'))
    .filter((line) => /^\s*(deb\s|URIs:)/.test(line))
    .flatMap((line) => line.match(/https?:\/\/\S+/g) ?? [])
    .filter((address) => /\/debian\/?$/.test(address));

/** What does not exist reads as nothing: machines have one style of sources or the other. */
const orElse = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};

export const findDebianMirror = (env: NodeJS.ProcessEnv = process.env): string | undefined => {
  const own = env['DYNAMIC_NETWORKS_DEBIAN_MIRROR'];
  if (own) return own;
  const parts = orElse(() => readdirSync(folder), [])
    .filter((name) => /\.(list|sources)$/.test(name))
    .map((name) => join(folder, name));
  return debianMirrorsIn([mainFile, ...parts].map((path) => orElse(() => readFileSync(path, 'utf8'), '')))[0];
};
