// The real Helm, built once like the parts of the cluster, with folders of its own: nobody's repositories or plugins are touched.
import { join, resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { ensureComponent } from '../cluster/build-components.ts';
import { type CommandResult, runCommand, tryCommand } from '../cluster/run-command.ts';
import type { KubeObject } from './comparable-objects.ts';

export const chartDir = resolve(import.meta.dirname, '..', '..', 'deploy', 'chart');
export const release = 'dynamic-networks';

const homeDir = resolve(import.meta.dirname, '..', 'artifacts', 'helm');

/** The first run ever builds it. */
export const buildDeadlineMs = 10 * 60_000;

export type Helm = Awaited<ReturnType<typeof makeHelm>>;

/** `values` are given as a file is, so that numbers and booleans stay what they are. */
export const makeHelm = async (kubeconfigPath: string) => {
  const { binDir } = await ensureComponent('helm');
  const env = {
    ...process.env,
    HELM_CACHE_HOME: join(homeDir, 'cache'),
    HELM_CONFIG_HOME: join(homeDir, 'config'),
    HELM_DATA_HOME: join(homeDir, 'data'),
  };
  const command = (args: readonly string[]) => [join(binDir, 'helm'), '--kubeconfig', kubeconfigPath, ...args];
  const options = (values: object) => ({ env, stdin: JSON.stringify(values) });
  const templateArgs = (namespace: string) => ['template', release, chartDir, '-n', namespace, '--values', '-'];
  return {
    binDir,
    run: (args: readonly string[], values: object = {}): Promise<string> => runCommand(command(args), options(values)),
    tryTemplate: (namespace: string, values: object): Promise<CommandResult> =>
      tryCommand(command(templateArgs(namespace)), options(values)),
    template: async (namespace: string, values: object): Promise<readonly KubeObject[]> =>
      loadAll(await runCommand(command(templateArgs(namespace)), options(values))).filter(
        (document): document is KubeObject => document !== null && document !== undefined,
      ),
  };
};
