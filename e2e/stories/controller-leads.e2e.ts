// The controller with the rights that are shipped: one of its replicas leads, and another follows when it ends. A drain takes one
// at a time.
import { expect, inject, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { controllers, controllersReady } from '../controllers.ts';
import { agentNamespace } from '../install-agent.ts';
import { makeKubectl } from '../target.ts';

const kubectl = makeKubectl(inject('target'));
const inNamespace = (...args: string[]): Promise<string> => kubectl.run(['-n', agentNamespace, ...args]);

/** Name of the pod that holds the lease; undefined when nobody does. */
const findLeader = async (): Promise<string | undefined> => {
  const path = 'jsonpath={.spec.holderIdentity}';
  const holder = await inNamespace('get', 'lease', 'dynamic-networks-controller', '--ignore-not-found', '-o', path);
  return holder.split('_')[0] || undefined;
};

it('leads, and hands over when the leader is deleted', async () => {
  const first = await pollUntil('a replica to lead', findLeader, { deadlineMs: 60_000 });
  await inNamespace('delete', 'pod', first, '--wait=false');
  const other = async () => {
    const leader = await findLeader();
    return leader === first ? undefined : leader;
  };
  const second = await pollUntil('the other replica to lead', other, { deadlineMs: 60_000 });
  expect(second).toMatch(/^dynamic-networks-controller-/);
  await controllersReady(kubectl);
});

it('is drained one replica at a time', async () => {
  const names = (await controllers(kubectl)).map(({ name }) => name);
  expect(names).toHaveLength(2);
  const evict = (name: string) => {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: agentNamespace } };
    const path = `/api/v1/namespaces/${agentNamespace}/pods/${name}/eviction`;
    return kubectl.run(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
  };
  const [first = '', second = ''] = names;
  const mayLoseOne = async () => {
    const path = 'jsonpath={.status.disruptionsAllowed}';
    const allowed = await inNamespace('get', 'poddisruptionbudget', 'dynamic-networks-controller', '-o', path);
    return allowed === '1' ? true : undefined;
  };
  await pollUntil('the budget to allow one', mayLoseOne, { deadlineMs: 60_000 });
  await evict(first);
  await expect(evict(second)).rejects.toThrow(/disruption budget/);
  await controllersReady(kubectl);
});
