// Somebody with a clone of this repository, who types what the documentation says into a shell: kubectl is on their PATH, and
// the namespace of their context is that of the story.
import { chmod, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { inject } from 'vitest';
import { type CommandResult, runCommand, tryCommand } from './cluster/run-command.ts';
import type { Kubectl } from './target.ts';

const root = resolve(import.meta.dirname, '..');

export type PersonOptions = {
  readonly kubectl: Kubectl;
  readonly namespace: string;
  /** Folders of more programs. */
  readonly path?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Another user than the administrator. */
  readonly user?: string;
};

export type Person = Awaited<ReturnType<typeof makePerson>>;

type Kubeconfig = {
  readonly contexts: readonly { readonly context: object }[];
  readonly users: readonly { readonly user: object }[];
};

const readConfig = async ({ kubectl, namespace, user: as }: PersonOptions): Promise<object> => {
  const text = await kubectl.run(['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']);
  const config: Kubeconfig = JSON.parse(text);
  return {
    ...config,
    contexts: config.contexts.map((each) => ({ ...each, context: { ...each.context, namespace } })),
    users: config.users.map((each) => ({ ...each, user: { ...each.user, ...(as !== undefined && { as }) } })),
  };
};

export const makePerson = async (options: PersonOptions) => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'dn-person-')));
  await symlink(inject('target').kubectlPath, join(home, 'kubectl'));
  const KUBECONFIG = join(home, 'config');
  await writeFile(KUBECONFIG, JSON.stringify(await readConfig(options)));
  await chmod(KUBECONFIG, 0o600);
  // The plugin's first line asks the PATH for node: the one that runs the tests.
  const PATH = [home, ...(options.path ?? []), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { ...options.env, PATH, HOME: home, KUBECONFIG };
  const shell = (command: string): readonly string[] => ['bash', '-c', command];

  return {
    /** First on their PATH. */
    home,
    env,
    /** In the clone. */
    tries: (command: string): Promise<CommandResult> => tryCommand(shell(command), { cwd: root, env }),
    /** A failure is an error that shows what was said. */
    types: (command: string): Promise<string> => runCommand(shell(command), { cwd: root, env }),
    leaves: (): Promise<void> => rm(home, { recursive: true, force: true }),
  };
};
