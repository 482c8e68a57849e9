// What holds for every pod, whatever it asks for and whatever it has. fast-check prints the seed and the smallest world of a
// property that fails.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestSignature } from './network-selection.ts';
import { isEmptyPlan } from './plan-attachments.ts';
import { deepFreeze } from './test-builders.ts';
import { carryOut, managedOf, observe, planOf, promisedBy, type World, worlds } from './test-worlds.ts';

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1000) };
const always = (check: (world: World) => void) => fc.assert(fc.property(worlds, check), RUNS);
const alwaysShuffled = (check: (world: World, shuffled: World) => void) =>
  fc.assert(
    fc.property(
      worlds.chain((world) =>
        fc
          .shuffledSubarray([...world.reported], { minLength: world.reported.length })
          .map((reported) => [world, deepFreeze({ ...world, reported })] as const),
      ),
      ([world, shuffled]) => check(world, shuffled),
    ),
    RUNS,
  );

const names = (items: readonly { readonly interface: string }[]) => items.map((item) => item.interface);

describe('a plan that was carried out', () => {
  it('leaves exactly what it kept and what it attached', () => {
    always((world) => {
      const plan = planOf(world);
      expect(managedOf(carryOut(world, plan))).toEqual(promisedBy(plan));
    });
  });

  it('gives every element its network, its name and its attributes, unless it says why not', () => {
    always((world) => {
      const plan = planOf(world);
      const after = observe(carryOut(world, plan));
      for (const selection of world.desired) {
        const refusals = plan.refuse.filter((refusal) => refusal.selection === selection);
        const keeps = plan.keep.filter((keep) => keep.selection === selection);
        const attaches = plan.attach.filter((attach) => attach.selection === selection);
        expect(refusals.length + keeps.length + attaches.length).toBe(1);
        for (const name of [...keeps.map(({ target }) => target.interface), ...names(attaches)]) {
          if (selection.interface !== undefined) expect(name).toBe(selection.interface);
          const held = after.find((target) => target.origin !== 'foreign' && target.interface === name);
          expect(held).toMatchObject({ network: selection.network });
          const isAsAsked =
            held?.origin !== 'hotplug' || held.record.request === requestSignature(selection.attributes);
          expect(isAsAsked || keeps[0]?.notice !== undefined).toBe(true);
        }
      }
    });
  });

  it('leaves nothing that nobody asked for, but devices that came with the pod', () => {
    always((world) => {
      const unasked = planOf(world).keep.filter(({ selection }) => selection === undefined);
      for (const { target, notice } of unasked) {
        expect(target.origin).toBe('creation');
        expect(world.policy.deviceAttachments).toBe('keep');
        expect(notice?.reason).toBe('DeviceAttachmentKept');
      }
    });
  });

  it('leaves nothing to do', () => {
    always((world) => {
      const again = planOf(carryOut(world, planOf(world)));
      expect(isEmptyPlan(again)).toBe(true);
    });
  });

  it('refuses the same elements when it is made again', () => {
    always((world) => {
      const plan = planOf(world);
      const again = planOf(carryOut(world, plan));
      expect(again.refuse.map(({ selection }) => selection)).toEqual(plan.refuse.map(({ selection }) => selection));
    });
  });
});

describe('the order of a plan', () => {
  it('is the same when the plan is made again', () => {
    always((world) => {
      expect(planOf(world)).toEqual(planOf(world));
    });
  });

  it('detaches in reverse of the reported order', () => {
    always((world) => {
      const order = observe(world).map((target) => target.interface);
      const positions = planOf(world).detach.map(({ target }) => order.indexOf(target.interface));
      expect(positions).toEqual(positions.toSorted((a, b) => b - a));
      expect(positions).not.toContain(-1);
    });
  });

  it('attaches in the order of the annotation', () => {
    always((world) => {
      const indexes = planOf(world).attach.map(({ selection }) => selection.index);
      expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
    });
  });

  it('does not depend on the order of network-status, but for the order of removals', () => {
    alwaysShuffled((world, shuffled) => {
      const [plan, other] = [planOf(world), planOf(shuffled)];
      expect(other.attach).toEqual(plan.attach);
      expect(other.refuse).toEqual(plan.refuse);
      const detached = ({ detach }: typeof plan) => detach.map(({ target }) => target.interface).sort();
      expect(detached(other)).toEqual(detached(plan));
    });
  });

  it('keeps unnamed elements on their interfaces however network-status is ordered', () => {
    alwaysShuffled((world, shuffled) => {
      const claims = (plan: ReturnType<typeof planOf>) =>
        plan.keep.flatMap(({ selection, target }) => (selection ? [[selection.index, target.interface]] : []));
      expect(claims(planOf(shuffled))).toEqual(claims(planOf(world)));
    });
  });
});

describe('a plan never', () => {
  it('changes its inputs: they are deeply frozen, and writing to them would throw', () => {
    always((world) => {
      expect(Object.isFrozen(world.desired) && Object.isFrozen(world.reported[0])).toBe(true);
      expect(() => planOf(world)).not.toThrow();
    });
  });

  it('touches the default network or anything else that no element can mean', () => {
    always((world) => {
      const strangers = observe(world).filter(({ origin }) => origin === 'foreign');
      const plan = planOf(world);
      const taken = strangers.flatMap((target) => target.interface ?? []);
      expect([...names(plan.attach), ...plan.detach.map(({ target }) => target.interface)]).not.toEqual(
        expect.arrayContaining([expect.toSatisfy((name) => taken.includes(name))]),
      );
      expect(observe(carryOut(world, plan)).filter(({ origin }) => origin === 'foreign')).toEqual(strangers);
    });
  });

  it('gives one name to two interfaces', () => {
    always((world) => {
      const after = names(observe(carryOut(world, planOf(world))).filter((target) => target.origin !== 'foreign'));
      expect(new Set(after).size).toBe(after.length);
    });
  });

  it('takes a device away that came with the pod, unless told to manage them', () => {
    always((world) => {
      if (world.policy.deviceAttachments === 'manage') return;
      for (const { target } of planOf(world).detach) {
        if (target.origin !== 'creation') continue;
        expect(world.policy.resourceOf(target.network)).toBeUndefined();
        expect(target.entries[0]).not.toHaveProperty('device-info');
      }
    });
  });

  it('gives a launcher pod an ordinal name that its element does not ask for', () => {
    always((world) => {
      if (!world.policy.isLauncherPod) return;
      for (const { selection, interface: name } of planOf(world).attach) expect(name).toBe(selection.interface);
    });
  });

  it('believes network-status where the ledger speaks', () => {
    always((world) => {
      const ours = new Map(world.records.map((each) => [each.interface, each]));
      for (const target of observe(world)) {
        if (target.origin === 'foreign') continue;
        const held = ours.get(target.interface);
        if (target.origin === 'creation') expect(held).toBeUndefined();
        else expect([target.record, target.network, held?.state]).toEqual([held, held?.network, 'added']);
      }
    });
  });

  it('sees an interface that the ledger knows to be removed, however stale network-status is', () => {
    always((world) => {
      const gone = new Set(names(world.records.filter(({ state }) => state !== 'added')));
      const seen = observe(world).filter(({ origin }) => origin !== 'foreign');
      expect(seen.filter(({ interface: name }) => gone.has(name ?? ''))).toEqual([]);
    });
  });

  it('announces a replacement without attaching the interface anew', () => {
    always((world) => {
      const plan = planOf(world);
      const attached = new Set(names(plan.attach));
      const replaced = plan.detach.filter(({ cause }) => cause !== 'unwanted').map(({ target }) => target.interface);
      expect(replaced.filter((name) => !attached.has(name))).toEqual([]);
    });
  });
});
