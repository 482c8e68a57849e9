// The clock is set back by an hour. Nodes of the harness share the clock of their machine, which no test may touch; so the
// agent's own process, the real one in its pod, is shown another time by a module that Node loads before the agent.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { hasNodeAccess } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
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

const worker = () => world.cluster.node('worker');
const shell = (script: string, ...args: string[]): Promise<string> => worker().run(['sh', '-c', script, 'sh', ...args]);
const setClock = async (offsetMs: number): Promise<void> => {
  await shell(`echo "$1" > ${shared}/.clock && mv ${shared}/.clock ${shared}/clock-offset`, String(offsetMs));
  const isSeen = async () => ((await shell(`cat ${shared}/clock-seen`)) === String(offsetMs) ? true : undefined);
  await pollUntil('the agent to see the other time', isSeen, { deadlineMs: 10_000, intervalMs: 100 });
};

/** The agent's own answer, without the kubelet's patience in between. */
const readiness = async (): Promise<string> => {
  const path = `{.items[?(@.spec.nodeName=="worker")].status.podIP}`;
  const ip = await world.kubectl.run(['-n', agentNamespace, 'get', 'pods', '-o', `jsonpath=${path}`]);
  return worker().run(['curl', '-sS', '-o', '/dev/null', '-w', '%{http_code}', `http://${ip}:9464/readyz`]);
};

const readinessBecomes = (code: string): Promise<true> =>
  pollUntil(`/readyz to answer ${code}`, async () => ((await readiness()) === code ? true : undefined), {
    deadlineMs: 30_000,
  });

const eventAbout = (name: string): Promise<true> => {
  const list = ['-n', world.namespace, 'get', 'events', '--field-selector=reason=AddedInterface', '-o'];
  const path = 'jsonpath={range .items[?(@.source.component=="dynamic-networks")]}{.message}{"\\n"}{end}';
  const isThere = async () => ((await world.kubectl.run([...list, path])).includes(name) ? true : undefined);
  return pollUntil(`an event about ${name}`, isThere, { deadlineMs: 30_000 });
};

beforeAll(async () => {
  world = await startWorld({ name: 'clock', range: 69 });
  agents = makeAgents(world.cluster);
  for (const node of world.cluster.nodes)
    await node.run(['sh', '-c', `mkdir -p ${shared}; printf %s "$1" > ${shared}/clock.mjs`, 'sh', clockModule]);
  await agents.configure('NODE_OPTIONS', `--import=file://${shared}/clock.mjs`);
  await world.createPods(['a', 'b'], onWorker);
});
afterAll(async () => {
  await world.close();
  await agents.configure('NODE_OPTIONS', undefined);
  for (const node of world.cluster.nodes) await node.run(['sh', '-c', `rm -f ${shared}/clock*`]);
});

describe.skipIf(!hasNodeAccess)('the clock set back by an hour', () => {
  it('does not delay what is to be tried again', async () => {
    const plugin = '/opt/cni/bin/bridge';
    await world.edit({ a: { x0: 'local' } });
    await world.converges('before the plugin is away');
    await shell('mv "$1" "$1.away"', plugin);
    try {
      await world.edit({ a: {}, b: { x0: 'local', y0: 'wide' } });
      const hasFailed = async () => {
        const { pods } = await world.look();
        return pods.find(({ name }) => name === 'b')?.notReady.length === 2 ? true : undefined;
      };
      await pollUntil('both interfaces to have failed', hasFailed, { deadlineMs: 30_000 });
      await setClock(-hourMs);
    } finally {
      await shell('mv "$1.away" "$1"', plugin);
    }
    await world.converges('after the clock was set back', 60_000);
  });

  it('does not make readiness tell old news', async () => {
    await setClock(0);
    await readinessBecomes('200');
    await worker().signalContainers('multus', 'SIGSTOP');
    try {
      await readinessBecomes('503');
      await setClock(-hourMs);
    } finally {
      await worker().signalContainers('multus', 'SIGCONT');
    }
    await readinessBecomes('200');
  });

  it('does not silence events', async () => {
    await setClock(0);
    await world.edit({ a: { before0: 'local' } });
    await eventAbout('before0');
    await setClock(-hourMs);
    await world.edit({ a: { after0: 'local' } });
    await eventAbout('after0');
    await world.converges('after the clock was set back once more');
  });
});
