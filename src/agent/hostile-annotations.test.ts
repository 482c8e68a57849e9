// The whole reconcile on pods whose annotation nobody can understand: what exists must stay, whatever the text is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNetworks } from '../model/parse-networks.ts';
import { hostileText, RUNS } from '../test-hostile.ts';
import { agentFor, podWith } from './test-lone-pod.ts';

describe('a reconcile of a pod whose annotation cannot be understood', () => {
  it('plugs nothing, unplugs nothing, keeps its records and network-status, and says why', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(hostileText([{ name: 'green', interface: 'x' }, { name: 'blue' }]), async (text) => {
        if (parseNetworks(text, 'shop').ok) return;
        refused += 1;
        const agent = agentFor(podWith(text));
        const outcome = await agent.reconcile();
        expect(agent.commands).toEqual([]);
        expect(agent.saved).toEqual([]);
        expect(outcome).toEqual({ kind: 'done' });
        expect(agent.events).toEqual([
          { type: 'Warning', reason: 'InvalidNetworks', message: expect.stringMatching(/.; nothing was changed$/s) },
        ]);
        expect(agent.changes).toHaveLength(1);
        expect(agent.changes[0]).not.toHaveProperty('entries');
        expect(agent.changes[0]?.condition).toMatchObject({ status: 'False', reason: 'InvalidNetworks' });
        expect(agent.changes[0]?.reports?.map(({ interface: name, ready }) => [name, ready])).toEqual([
          ['net1', true],
          ['data0', true],
        ]);
      }),
      RUNS,
    );
    expect(refused).toBeGreaterThan(2000);
  });

  it('the same pod with a sound annotation is unplugged: the test could see it', async () => {
    const agent = agentFor(podWith('blue@net1'));
    await agent.reconcile();
    expect(agent.commands).toEqual(['DEL data0']);
  });
});
