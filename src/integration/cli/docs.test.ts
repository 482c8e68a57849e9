// Every command of kubectl dnet in the documentation, run as it stands there, page by page.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCommands, commandsOf, pages } from '../../../docs/commands.ts';
import { runKubectl } from '../../embedded/demo/kubectl.ts';
import { splitWords } from '../../embedded/demo/words.ts';
import { MachineWorld, on } from '../vm/machine-world.ts';
import { installAgents } from './installed.ts';
import { runDnet } from './run-dnet.ts';

const isDnet = ({ command }: { readonly command: string }): boolean => command.startsWith('kubectl dnet ');
/** It serves until it is ended: ui.test.ts. */
const isUi = ({ command }: { readonly command: string }): boolean => /^kubectl dnet ui\b/.test(command);
const wordsOf = (command: string): string[] => splitWords(command) ?? [];

/** What docs/cli.md is about has one agent that is not there, so that the doctor has something to find. */
const countsOn = (page: string) => ({ desiredNumberScheduled: page === 'docs/cli.md' ? 2 : 1, numberReady: 1 });

const startWorld = async (page: string): Promise<MachineWorld> => {
  const machines = await MachineWorld.start([], { controller: false });
  const { world } = machines;
  const { cluster } = world;
  installAgents(world, countsOn(page));
  cluster.api.register({
    group: 'k8s.cni.cncf.io',
    version: 'v1alpha1',
    plural: 'ipamclaims',
    kind: 'IPAMClaim',
    namespaced: true,
    statusSubresource: true,
  });
  cluster.api.podEndpoints.set(cluster.agentPod, { port: world.agent.telemetryPort, log: '' });
  await world.pod('web');
  await machines.run('vm-a', on());
  return machines;
};

let files: string;
beforeAll(() => {
  files = mkdtempSync(join(tmpdir(), 'dn-docs-'));
});
afterAll(() => rmSync(files, { recursive: true, force: true }));

/** Commands may write and read files; here they do so in a folder of their own. */
const inFolder = (word: string): string => (word === 'edit' || word.endsWith('.tar.gz') ? join(files, word) : word);

describe.each(pages.filter((page) => commandsOf(page).some((each) => each.isBlock && isDnet(each) && !isUi(each))))(
  '%s',
  (page) => {
    let machines: MachineWorld;
    beforeAll(async () => {
      machines = await startWorld(page);
    });
    afterAll(() => machines.stop());

    const shown = commandsOf(page).filter(({ isBlock }) => isBlock);
    const runnable = shown.filter(
      (each) => (isDnet(each) && !isUi(each)) || /^(kubectl annotate pod|echo) /.test(each.command),
    );
    it.each(runnable)('$command', async ({ command, exits }) => {
      const words = wordsOf(command);
      if (words[0] === 'echo') return void execFileSync('sh', ['-c', command], { cwd: files });
      if (words[1] !== 'dnet') return void (await runKubectl(machines.world.cluster, words.slice(1)));
      const said = await runDnet(machines.world, words.slice(2).map(inFolder));
      expect(said.code, said.err + said.out).toBe(exits);
    });
  },
);

describe('commands within sentences', () => {
  const mentioned = allCommands().filter(isDnet);
  const world = { cluster: { kubeconfigPath: '/nowhere', dir: '/nowhere' } };
  const help = new Map<string, string>();
  const helpOf = async (name: string): Promise<string> => {
    const known = help.get(name);
    if (known !== undefined) return known;
    const { out } = await runDnet(world, name === '' ? ['--help'] : [name, '--help']);
    help.set(name, out);
    return out;
  };

  it.each(mentioned)('$page: $command exists with these flags', async ({ command }) => {
    const [, , name = '', ...args] = wordsOf(command);
    if (name === '--help') return;
    expect(await helpOf('')).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    const text = await helpOf(name);
    const flags = args.filter((word) => /^--?[A-Za-z]/.test(word));
    expect(flags.filter((flag) => !new RegExp(`(?:^|[ ,])${flag}\\b`, 'm').test(text))).toEqual([]);
  });

  it('docs/cli.md has all there are', async () => {
    const offered = [...(await helpOf('')).matchAll(/^ {2}([a-z][\w-]+) /gm)].map(([, name]) => name);
    const described = new Set(
      commandsOf('docs/cli.md')
        .filter(isDnet)
        .map(({ command }) => wordsOf(command)[2]),
    );
    expect([...described].toSorted()).toEqual(offered.filter((name) => name !== 'help').toSorted());
  });
});
