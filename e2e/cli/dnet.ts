// `kubectl dnet …` as people run it: kubectl finds the bundled file on the PATH and calls it with the rest of the command line.
import { mkdir, rm, symlink } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { beforeAll, inject } from 'vitest';
import { type CommandResult, runCommand, tryCommand } from '../cluster/run-command.ts';

const root = resolve(import.meta.dirname, '..', '..');
const bundle = resolve(root, 'dist', 'kubectl-dnet.mjs');
const pluginDir = resolve(import.meta.dirname, '..', 'artifacts', 'plugin');

/** Registers a hook that makes the bundle. `dnet(…)` runs in the namespace unless it is told otherwise. */
export const withDnet = (namespace: string) => {
  const { kubectlPath, kubeconfigPath } = inject('target');
  // The plugin's first line asks the PATH for node: the one that runs the tests.
  const path = [pluginDir, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const env = { ...process.env, KUBECONFIG: kubeconfigPath, PATH: path };

  beforeAll(async () => {
    await runCommand([process.execPath, 'scripts/build.ts', '--quiet'], { cwd: root });
    await mkdir(pluginDir, { recursive: true });
    await rm(resolve(pluginDir, 'kubectl-dnet'), { force: true });
    await symlink(bundle, resolve(pluginDir, 'kubectl-dnet'));
  });

  const dnet = (...args: string[]): Promise<CommandResult> =>
    tryCommand([kubectlPath, 'dnet', ...args, '--namespace', namespace], { env });
  return {
    dnet,
    json: async <T>(...args: string[]): Promise<T> => {
      const { stdout } = await dnet(...args, '-o', 'json');
      const value: T = JSON.parse(stdout);
      return value;
    },
  };
};
