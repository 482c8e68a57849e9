// Where the harness keeps things. Everything it makes lives under one cache folder outside the clone.
import { homedir } from 'node:os';
import { join } from 'node:path';

export const sourceDir = import.meta.dirname;

export const cacheDir = (env: NodeJS.ProcessEnv = process.env): string => {
  const own = env['DYNAMIC_NETWORKS_CACHE'];
  if (own) return own;
  const xdg = env['XDG_CACHE_HOME'];
  return join(xdg ? xdg : join(homedir(), '.cache'), 'dynamic-networks');
};

export const componentsDir = (): string => join(cacheDir(), 'components');
export const imagesDir = (): string => join(cacheDir(), 'images');
export const clustersDir = (): string => join(cacheDir(), 'clusters');
export const locksDir = (): string => join(cacheDir(), 'locks');
export const daemonDir = (): string => join(cacheDir(), 'docker');
