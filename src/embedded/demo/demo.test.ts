// The demo as a person runs it, in a process of its own, with the real bundle.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundlePath } from './agent-process.ts';
import { excerptOf, normalise, transcriptIn } from './transcript.ts';

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

it('plays the whole story as README.md shows it: exit code 0, readable in a pipe, nothing left', async () => {
  const { output, errors, code, pids } = await run(['--fast', '--timeout', '60']);
  expect({ code, errors }, output).toEqual({ code: 0, errors: '' });
  expect(output).toContain('8 of 8 steps seen in the kernel, the address store and on the pod');
  expect(output).toMatch(/\$ kubectl dnet ui\nhttp:\/\/127\.0\.0\.1:\d+\/\?token=\S+\n✓ the live page answers/);
  expect(output).toContain('✓ what Multus was asked for backup0: ADD (cut off), DEL, ADD');
  expect(output).not.toContain('\u001b');
  // kubectl does not wrap its errors either.
  expect(output.split('\n').filter((line) => line.length > 100 && !line.startsWith('error: '))).toEqual([]);
  expectNothingLeft(pids);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(normalise(transcriptIn(readme)), 'npm run transcript writes it anew').toBe(normalise(excerptOf(output)));
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

it('is interactive with a piped input: the same commands, its own few, and on after mistakes', async () => {
  const asked: readonly (readonly [line: string, answer: RegExp])[] = [
    ['plug web blue --ip 10.10.1.77 --wait', /pod\/web: net1 on default\/blue plugged with 10\.10\.1\.77$/],
    ['plugg', /there is no program "plugg" here/],
    ['kubectl get pods', /of kubectl there is only what "help" lists/],
    ["kubectl annotate pod web k8s.v1.cni.cncf.io/networks='red'", /--overwrite is false/],
    ["kubectl annotate pod web --overwrite k8s.v1.cni.cncf.io/networks='blue@x, nosuch", /a quote is never closed/],
    ['kubectl dnet plan web -f - <<< "blue@net1"', /replace +net1|keep +net1/],
    ['break multus', /^$/],
    ['kubectl dnet plug db red --interface r0', /r0 on default\/red requested/],
    ['kubectl dnet status db', /db +r0 +default\/red +yes +no/],
    ['mend multus', /^$/],
    ['wait db', /all interfaces ready/],
    ['kill agent', /The agent is back as process \d+/],
    ['unplug db r0 --wait', /r0 from default\/red unplugged/],
    ['kubectl annotate pod web k8s.v1.cni.cncf.io/networks-', /pod\/web annotated/],
    ['kubectl dnet wait web --for gone', /all interfaces gone/],
    ['kubectl delete pod db', /pod "db" deleted/],
    ['kubectl run web --image=busybox', /"web" already exists/],
    ['kubectl run api --image=busybox --annotations=k8s.v1.cni.cncf.io/networks=green@g0', /pod\/api created/],
    ['status', /api +g0 +default\/green +yes +10\.10\.2\.2/],
    ['help', /break multus \| mend multus/],
  ];
  const input = `${asked.map(([line]) => line).join('\n')}\n`;
  const { output, errors, code, pids } = await run(['--interactive', '--skip-story'], input);
  expect({ code, errors }, output).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(/The live page: http:\/\/127\.0\.0\.1:\d+\/\?token=/);
  const answers = output.split('export KUBECONFIG=')[1]?.split('\n$ ').slice(1) ?? [];
  expect(answers.map((answer) => answer.split('\n')[0])).toEqual(asked.map(([line]) => line));
  for (const [index, [line, pattern]] of asked.entries()) {
    expect(answers[index]?.slice(line.length + 1), line).toMatch(pattern);
  }
  expectNothingLeft(pids);
});

it('Ctrl-C ends it in good order', async () => {
  const child = start(['--interactive', '--skip-story']);
  const ended = new Promise<number | null>((resolveEnd) => child.once('exit', resolveEnd));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  while (!output.includes('The live page')) await sleep(20);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expectNothingLeft([...output.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid)));
});
