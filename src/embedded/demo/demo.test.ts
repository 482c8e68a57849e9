// The demo as a person runs it, in a process of its own, with the real bundle.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundlePath } from './agent-process.ts';

const root = resolve(import.meta.dirname, '../../..');
let dir: string;

beforeAll(() => {
  // Its own, so that what the demo leaves behind is seen; short, for the socket paths in it.
  dir = mkdtempSync(join(tmpdir(), 'd-'));
  if (existsSync(bundlePath)) return;
  const built = spawnSync(process.execPath, ['scripts/build.ts', '--quiet'], { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the bundle cannot be built: ${built.stderr}`);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const start = (args: readonly string[]) =>
  spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], TMPDIR: dir },
  });

const run = async (args: readonly string[], input = '') => {
  const child = start(args);
  const ended = new Promise<number | null>((resolveEnd) => child.once('exit', resolveEnd));
  child.stdin.end(input);
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { output, errors, code, pids: [...output.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid)) };
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const expectNothingLeft = (pids: readonly number[]): void => {
  expect(pids.length).toBeGreaterThan(0);
  expect(pids.filter(isRunning)).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
};

it('plays the whole story: exit code 0, readable in a pipe, nothing left', async () => {
  const { output, errors, code, pids } = await run(['--fast']);
  expect({ code, errors }, output).toEqual({ code: 0, errors: '' });
  expect(output).toContain("8 of 8 steps seen in the kernel, the IPAM store and the pod's annotations");
  expect(output).toContain("$ kubectl annotate pod web --overwrite k8s.v1.cni.cncf.io/networks='green@data0, red'");
  expect(output).toContain('event Warning InvalidNetworks: element 3: interface "a-much-too-long-name"');
  expect(output).toMatch(/backup0 +infra\/storage +\S+ +yes +yes +no +no\n/);
  expect(output).not.toContain('\u001b');
  expect(output.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expectNothingLeft(pids);
});

it('fails when the agent cannot do its work, and says what was expected and seen', async () => {
  const { output, code, pids } = await run([
    '--fast',
    '--timeout',
    '2',
    '--agent-setting',
    'multusSocket=/nowhere/multus.sock',
  ]);
  expect(code, output).toBe(1);
  expect(output).toContain('✗ waited 2 s in vain until the pod has net1 on default/blue');
  expect(output).toContain('  expected  kernel: net1 on default/blue\n  seen      no link net1\n');
  expect(output).toMatch(/last log lines of the agent:\n[\s\S]*attaching failed[\s\S]*\/nowhere\/multus\.sock/);
  expect(output).not.toContain('steps seen');
  expectNothingLeft(pids);
});

it('fails with the words of an agent that does not even start', async () => {
  const { output, code } = await run(['--fast', '--agent-setting', 'concurrency=many']);
  expect(code, output).toBe(1);
  expect(output).toContain('✗ the agent ended with exit code 2 before it had started');
  expect(output).toContain('concurrency (from flag --concurrency) is "many"');
  expect(readdirSync(dir)).toEqual([]);
});

it('is interactive with a piped input: obeys, helps, goes on after mistakes, ends with the input', async () => {
  const commands = [
    'plug blue ip=10.10.1.77/24',
    'plugg',
    'edit blue@x, nosuch',
    'faults multus down',
    'edit red@r0',
    'faults multus up',
    'kill agent',
    'unplug r0',
    'networks',
    'delete pod',
    'plug blue',
    'new pod',
    'show',
  ];
  const { output, errors, code, pids } = await run(['--interactive', '--skip-story'], `${commands.join('\n')}\n`);
  expect({ code, errors }, output).toEqual({ code: 0, errors: '' });
  const answers = output.split('\nweb> ').slice(1);
  expect(answers.map((answer) => answer.split('\n')[0])).toEqual(commands);
  const expected = [
    /net1 +default\/blue +10\.10\.1\.77 +yes +yes +yes +yes\n/,
    /there is no command "plugg"; known: plug/,
    /event Warning NetworkNotFound: NetworkAttachmentDefinition default\/nosuch/,
    /Multus is down/,
    /! not Ready after/,
    /✓ settled after[\s\S]*r0 +default\/red +\S+ +yes +yes +yes +yes\n/,
    /The agent is back as process \d+[\s\S]*✓ settled/,
    /networks-\n[\s\S]*event Normal {2}RemovedInterface: r0 from default\/red/,
    /infra\/storage +bridge, 10\.20\.0\.0\/24/,
    /addresses in use: 0/,
    /no such pod: default\/web/,
    /✓ settled/,
    /eth0 +podnet \(default\)/,
  ];
  for (const [index, pattern] of expected.entries()) expect(answers[index]).toMatch(pattern);
  expectNothingLeft(pids);
});

it('Ctrl-C ends it in good order', async () => {
  const child = start(['--interactive', '--skip-story']);
  const ended = new Promise<number | null>((resolveEnd) => child.once('exit', resolveEnd));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  while (!output.includes('✓ settled')) await sleep(20);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expectNothingLeft([...output.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid)));
});
