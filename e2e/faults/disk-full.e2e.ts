// The volume of the ledger is full: what cannot be written down is not done, the pod says so, and it is done once there is
// space again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { type Agents, makeAgents } from './agents.ts';
import { type FaultWorld, onWorker, startWorld } from './fault-world.ts';

const ledger = '/var/lib/dynamic-networks';
const podNames = ['a', 'b', 'c', 'd'];

let world: FaultWorld;
let agents: Agents;

const node = (): string => onWorker(world.nodeNames, 0);
const shell = (script: string): Promise<string> => world.nodeExec(node(), ['sh', '-c', script]);
const fill = (): Promise<string> => shell(`dd if=/dev/zero of=${ledger}/filler bs=4k 2>/dev/null; df ${ledger}`);
const free = (): Promise<string> => shell(`rm -f ${ledger}/filler`);

const complaints = async (): Promise<readonly string[]> => {
  const { pods } = await world.look();
  return pods.filter(({ notReady }) => notReady.some((text) => text.includes('ledger'))).map(({ name }) => name);
};

beforeAll(async () => {
  world = await startWorld({ name: 'disk-full', range: 68 });
  agents = makeAgents(world);
  await agents.takeAway();
  await shell(`mkdir -p ${ledger} && mount -t tmpfs -o size=64k ledger ${ledger}`);
  await agents.bringBack();
  await world.createPods(podNames, onWorker);
});

afterAll(async () => {
  await free();
  await world.close();
  await agents.takeAway();
  await shell(`umount ${ledger}`);
  await agents.bringBack();
});

it('a full disk stops plugging and unplugging, loses nothing, and is caught up with', async () => {
  await world.edit({ a: { x0: 'local' }, b: { x0: 'wide', y0: 'local' } });
  await world.converges('before the disk is full');
  const before = await world.look();

  await fill();
  await world.edit({ a: { z0: 'local' }, b: { x0: 'wide' }, c: { x0: 'local' }, d: { y0: 'wide' } });
  const allComplain = async () => ((await complaints()).length === podNames.length ? true : undefined);
  await pollUntil('every pod to say that the ledger cannot be written', allComplain, { deadlineMs: 30_000 });
  const during = await world.look();
  expect(during.nodes.map(({ sandboxes }) => sandboxes)).toEqual(before.nodes.map(({ sandboxes }) => sandboxes));
  expect(during.nodes.map((node) => node.ledger)).toEqual(before.nodes.map((node) => node.ledger));
  expect(during.held).toEqual(before.held);

  // A pod that goes meanwhile: a file is removed, for which there is always space.
  await world.deletePods(['b']);
  await agents.kill([node()]);
  await free();
  await world.converges('after there was space again');
});
