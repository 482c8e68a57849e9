// Multus answers an ADD with an interface in somebody else's network namespace.
import { expect, it } from 'vitest';
import { agentFor, podWith } from './test-lone-pod.ts';

const attach = async (sandbox: string) => {
  const commands: string[] = [];
  const agent = agentFor(podWith('blue@net1,red@data0,green@extra0'), {
    delegate: {
      add: async () => ({ interfaces: [{ name: 'extra0', sandbox }], ips: [], routes: [], dns: {} }),
      del: async ({ interface: name, netns }) => void commands.push(`DEL ${name} in ${netns}`),
      check: async () => undefined,
    },
  });
  const outcome = await agent.reconcile();
  const reported = agent.changes.flatMap(({ entries = [] }) => entries.map((entry) => entry.interface));
  const ready = Object.fromEntries(
    agent.changes.flatMap(({ reports = [] }) => reports.map((one) => [one.interface, one.ready])),
  );
  return { outcome, commands, reported, ready };
};

it('is taken for a failure and undone in the pod that was meant', async () => {
  const { outcome, commands, reported, ready } = await attach('/run/netns/somebody-else');
  expect(outcome).toMatchObject({ kind: 'retry', message: expect.stringMatching(/another sandbox/) });
  expect(commands).toEqual(['DEL extra0 in /run/netns/1']);
  expect(reported).not.toContain('extra0');
  expect(ready).toEqual({ net1: true, data0: true, extra0: false });
});

it('the right sandbox is no failure: the test could see it', async () => {
  const { commands, reported, ready } = await attach('/var/run/netns/1');
  expect(commands).toEqual([]);
  expect(reported).toContain('extra0');
  expect(ready).toEqual({ net1: true, data0: true, extra0: true });
});
