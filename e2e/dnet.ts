// `kubectl dnet …` as people have it: the real kubectl finds the bundle as its plugin.
import { mkdir, rm, symlink } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { inject } from 'vitest';
import { type CommandResult, tryCommand } from './cluster/run-command.ts';

const bundle = resolve(import.meta.dirname, '..', 'dist', 'kubectl-dnet.mjs');
const plugins = resolve(import.meta.dirname, 'artifacts', 'kubectl-plugins');

export type Dnet = (...args: readonly string[]) => Promise<CommandResult>;

const installPlugin = async (): Promise<void> => {
  await mkdir(plugins, { recursive: true });
  const link = join(plugins, 'kubectl-dnet');
  await rm(link, { force: true });
  await symlink(bundle, link);
};

/** In this namespace. */
export const makeDnet = (namespace: string): Dnet => {
  const { kubectlPath, kubeconfigPath } = inject('target');
  let installed: Promise<void> | undefined;
  return async (...args) => {
    installed ??= installPlugin();
    await installed;
    const env = {
      ...process.env,
      PATH: [plugins, process.env['PATH']].join(delimiter),
      KUBECONFIG: kubeconfigPath,
    };
    return tryCommand([kubectlPath, 'dnet', '--namespace', namespace, ...args], { env });
  };
};
