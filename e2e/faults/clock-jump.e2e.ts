// The clock jumps by an hour, back or ahead. Nodes of the harness share the clock of their machine, which no test may touch; so the
// agent's own process, the real one in its pod, is shown another time by a module that Node loads before the agent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { signalProcesses } from '../node-exec.ts';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';

/** The one directory of the node that the agent sees and tests may write to; the ledger ignores files of other names. */
const shared = '/var/lib/dynamic-networks';
const hourMs = 3_600_000;

/** Adds to every time that is asked for as many milliseconds as one file says, and confirms it in another. */
const clockModule = `
import { readFileSync, writeFileSync } from 'node:fs';
const RealDate = Date;
let offsetMs = 0;
const read = () => {
  try {
    offsetMs = Number(readFileSync('${shared}/clock-offset', 'utf8'));
    writeFileSync('${shared}/clock-seen', String(offsetMs));
  } catch {}
};
read();
setInterval(read, 100).unref();
globalThis.Date = class extends RealDate {
  constructor(...args) { if (args.length === 0) super(RealDate.now() + offsetMs); else super(...args); }
  static now() { return RealDate.now() + offsetMs; }
};
`;

let world: FaultWorld;
let agents: Agents;

const node = (): string => onWorker(world.nodeNames, 0);
const shell = (script: string, ...args: string[]): Promise<string> =>
  world.nodeExec(node(), ['sh', '-c', script, 'sh', ...args]);
const everyNode = (script: string, ...args: string[]): Promise<unknown> =>
  Promise.all(world.nodeNames.map((name) => world.nodeExec(name, ['sh', '-c', script, 'sh', ...args])));
const setClock = async (offsetMs: number): Promise<void> => {
  await shell(`echo "$1" > ${shared}/.clock && mv ${shared}/.clock ${shared}/clock-offset`, String(offsetMs));
  const isSeen = async () => ((await shell(`cat ${shared}/clock-seen`)) === String(offsetMs) ? true : undefined);
  await pollUntil('the agent to see the other time', isSeen, { deadlineMs: 10_000, intervalMs: 100 });
};

const signalMultus = async (signal: 'STOP' | 'CONT'): Promise<void> =>
  expect(await signalProcesses(world.nodeExec, node(), '/multus-daemon$', signal)).toBe(1);

const eventAbout = (name: string): Promise<true> => {
  const list = ['-n', world.namespace, 'get', 'events', '--field-selector=reason=AddedInterface', '-o'];
  const path = 'jsonpath={range .items[?(@.source.component=="dynamic-networks")]}{.message}{"\\n"}{end}';
  const isThere = async () => ((await world.kubectl.run([...list, path])).includes(name) ? true : undefined);
  return pollUntil(`an event about ${name}`, isThere, { deadlineMs: 30_000 });
};

beforeAll(async () => {
  world = await startWorld({ name: 'clock', range: 69 });
  agents = makeAgents(world);
  await everyNode(`mkdir -p ${shared}; printf %s "$1" > ${shared}/clock.mjs`, clockModule);
  await agents.configure('NODE_OPTIONS', `--import=file://${shared}/clock.mjs`);
  await world.createPods(['a', 'b'], onWorker);
});
afterAll(async () => {
  await world.close();
  await agents.configure('NODE_OPTIONS', undefined);
  await everyNode(`rm -f ${shared}/clock*`);
});

describe.each([
  ['back', -hourMs],
  ['ahead', hourMs],
])('the clock set %s by an hour', (direction, jumpMs) => {
  it('does not delay what is to be tried again', async () => {
    const plugin = '/opt/cni/bin/bridge';
    await setClock(0);
    await world.edit({ a: { x0: 'local' }, b: {} });
    await world.converges('before the plugin is away');
    await shell('mv "$1" "$1.away"', plugin);
    try {
      await world.edit({ a: {}, b: { x0: 'local', y0: 'wide' } });
      const hasFailed = async () => {
        const { pods } = await world.look();
        return pods.find(({ name }) => name === 'b')?.notReady.length === 2 ? true : undefined;
      };
      await pollUntil('both interfaces to have failed', hasFailed, { deadlineMs: 30_000 });
      await setClock(jumpMs);
    } finally {
      await shell('mv "$1.away" "$1"', plugin);
    }
    await world.converges('after the clock was set', 60_000);
  });

  it('does not make readiness tell old news', async () => {
    await setClock(0);
    const readiness = await agents.readinessOn(node());
    await readiness.isWell();
    await signalMultus('STOP');
    try {
      await readiness.blames('multus');
      await setClock(jumpMs);
    } finally {
      await signalMultus('CONT');
    }
    await readiness.isWell();
  });

  it('does not silence events', async () => {
    await setClock(0);
    await world.edit({ a: { [`${direction}0`]: 'local' } });
    await eventAbout(`${direction}0`);
    await setClock(jumpMs);
    await world.edit({ a: { [`${direction}1`]: 'local' } });
    await eventAbout(`${direction}1`);
    await world.converges('after the clock was set once more');
  });
});
