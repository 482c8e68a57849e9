// Completion with names of the cluster, and the script for bash in a real bash.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../harness.ts';
import { runDnet } from './run-dnet.ts';

let world: World;
beforeAll(async () => {
  world = await World.start({ agent: false });
  await world.pod('web-1', 'blue@b0, red@r0');
  await world.pod('db-1');
});
afterAll(() => world.stop());

const completions = async (...words: string[]) => {
  const { code, out } = await runDnet(world, ['__complete', ...words]);
  expect(code).toBe(0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);
};

it.each<[string[], string[]]>([
  [['st'], ['status', ':4']],
  [
    ['plug', ''],
    ['db-1', 'web-1', ':4'],
  ],
  [
    ['plug', 'w'],
    ['web-1', ':4'],
  ],
  [
    ['plug', 'web-1', ''],
    ['blue', 'green', 'red', ':4'],
  ],
  [
    ['unplug', 'web-1', ''],
    ['b0', 'r0', ':4'],
  ],
  [['plug', '-n', 'kube-system', ''], [':4']],
  [
    ['plug', '-n', 'kube'],
    ['kube-system', ':4'],
  ],
  [
    ['status', '--context', ''],
    ['embedded', ':4'],
  ],
  [['plan', 'web-1', '-f', ''], [':0']],
  [['unplug', 'nobody', ''], [':4']],
  [['claims', ''], [':4']],
])('%j is completed to %j', async (words, expected) => {
  expect((await completions(...words)).toSorted()).toEqual(expected.toSorted());
});

it('stays silent when the cluster cannot be reached', async () => {
  const { code, out, err } = await runDnet(world, ['__complete', 'plug', ''], {
    env: { KUBECONFIG: '/does/not/exist' },
  });
  expect([code, out, err]).toEqual([0, ':4\n', '']);
});

it('works in bash', async () => {
  const bin = join(world.cluster.dir, 'bin');
  mkdirSync(bin, { recursive: true });
  const bundle = resolve(import.meta.dirname, '../../../dist/kubectl-dnet.mjs');
  writeFileSync(join(bin, 'kubectl-dnet'), `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
  chmodSync(join(bin, 'kubectl-dnet'), 0o755);
  const { out: script } = await runDnet(world, ['completion', 'bash']);
  const type = async (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const tested = `${script}\nCOMP_WORDS=(kubectl-dnet ${line}); COMP_CWORD=${words.length}; _kubectl_dnet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', tested], {
      env: { PATH: `${bin}:${process.env['PATH']}`, KUBECONFIG: world.cluster.kubeconfigPath },
    });
    return stdout.trim();
  };
  expect(await type('unpl')).toBe('unplug');
  expect(await type('plug', 'we')).toBe('web-1');
});

it('has a script for each shell, and says which there are', async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'kubectl']) {
    const said = await runDnet(world, ['completion', shell], { env: { KUBECONFIG: '/does/not/exist' } });
    expect(said.code).toBe(0);
    expect(said.out).toContain('kubectl-dnet __complete');
  }
  expect((await runDnet(world, ['completion', 'tcsh'])).err).toBe(
    'error: "tcsh" must be one of bash, zsh, fish, kubectl\n',
  );
});
