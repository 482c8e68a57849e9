// Random lives of a network with two controllers that both believe to lead: requests that arrive late or twice removed from
// their answers, watches that lag, crashes at any request. After every single step no address is in two claims.
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, parseAddressOfCidr, parseCidr } from '../../ipam/address-number.ts';
import { ClaimsApi, TestController } from './test-claims-api.ts';

const NAMES = Array.from({ length: 8 }, (_, index) => `c${index}`);
/** Six usable addresses of each family: fewer than claims, so that some wait. */
const config = { subnets: '10.0.0.0/29,fd00::/125', gateway: 'none' };

/** More of them: `RUNS=2000 npx vitest run src/controller/claims`. */
const RUNS = Number(process.env['RUNS'] ?? 30);

type Step =
  | { readonly kind: 'create' | 'remove'; readonly name: string }
  | { readonly kind: 'edit'; readonly name: string; readonly ips: readonly string[] }
  | { readonly kind: 'start' | 'crash'; readonly who: number }
  | { readonly kind: 'hear'; readonly who: number; readonly count: number }
  | { readonly kind: 'deliver'; readonly which: number }
  | { readonly kind: 'loseLock' };

const name = fc.constantFrom(...NAMES);
const who = fc.nat(1);
const peaceful: fc.WeightedArbitrary<Step>[] = [
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const), who }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('hear' as const), who, count: fc.nat(5) }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('deliver' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), who }) },
];
const ips = fc.uniqueArray(fc.constantFrom('10.0.0.1/29', '10.0.0.2/29', 'fd00::1/125', 'garbage', '10.9.9.9/32'), {
  maxLength: 2,
});
const hostile: fc.WeightedArbitrary<Step>[] = [
  { weight: 1, arbitrary: fc.constant({ kind: 'loseLock' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), name, ips }) },
];

class World {
  readonly api = new ClaimsApi(config);
  readonly controllers = [new TestController(this.api), new TestController(this.api)];

  async do(step: Step): Promise<void> {
    const { api, controllers } = this;
    switch (step.kind) {
      case 'create':
        api.create(step.name);
        break;
      case 'remove':
        api.remove(step.name);
        break;
      case 'edit':
        api.edit(step.name, step.ips);
        break;
      case 'loseLock':
        api.loseLock();
        break;
      case 'start':
        controllers[step.who]?.start();
        break;
      case 'hear':
        controllers[step.who]?.hear(step.count);
        break;
      case 'crash':
        this.controllers[step.who]?.crash();
        this.controllers[step.who] = new TestController(api);
        break;
      case 'deliver': {
        const [request] = api.pending.splice(step.which % Math.max(1, api.pending.length), 1);
        request?.();
      }
    }
    await turn();
    expect(this.controllers.flatMap(({ bugs }) => bugs)).toEqual([]);
  }

  /** Everything arrives, and the controllers get all the turns that they want. */
  async settle(): Promise<void> {
    for (let round = 0; round < 60 && (round < 3 || this.#isBusy); round++) {
      for (const controller of this.controllers) {
        controller.hear(1000);
        controller.start();
      }
      await turn();
      while (this.api.pending.length > 0) {
        for (const request of this.api.pending.splice(0)) request();
        await turn();
      }
    }
    expect(this.controllers.every(({ isIdle }) => isIdle)).toBe(true);
  }

  get #isBusy(): boolean {
    return this.controllers.some(({ book }) => book.find('blue')?.hasWork !== false);
  }

  given(): Record<string, readonly string[]> {
    return Object.fromEntries([...this.api.claims].map(([key, { ips }]) => [key, ips]));
  }

  doubles(): string[] {
    const all = Object.values(this.given()).flat();
    return all.filter((ip, index) => all.indexOf(ip) !== index);
  }
}

const inPool = (text: string): boolean => {
  const address = parseAddressOfCidr(text);
  const subnets = ['10.0.0.0/29', 'fd00::/125'].flatMap((subnet) => parseCidr(subnet) ?? []);
  return address !== undefined && subnets.some((subnet) => isInside(address, subnet)) && !/\.0\/|\.7\/|::\//.test(text);
};

describe('addresses of a network with two controllers', { timeout: 300_000 }, () => {
  it('are never in two claims, are inside the pool, and stay with their claim, at every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...peaceful), { minLength: 40, maxLength: 200 }), async (steps) => {
        const world = new World();
        let before: Record<string, readonly string[]> = {};
        for (const step of steps) {
          const uids = new Map([...world.api.claims].map(([key, { uid }]) => [key, uid]));
          await world.do(step);
          const now = world.given();
          expect(world.doubles()).toEqual([]);
          expect(Object.values(now).flat().every(inPool)).toBe(true);
          for (const [key, had] of Object.entries(before)) {
            const isSame = world.api.claims.get(key)?.uid === uids.get(key);
            if (had.length > 0 && isSame) expect(now[key]).toEqual(had);
          }
          before = now;
        }
        await world.settle();
        expect(world.doubles()).toEqual([]);
        const served = Object.values(world.given()).filter((own) => own.length === 2).length;
        expect(served).toBe(Math.min(6, world.api.claims.size));
      }),
      { numRuns: RUNS },
    );
  });

  it('are sorted out when people edit claims and delete the lock: nobody shares one in the end, and nobody is left without', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...peaceful, ...hostile), { minLength: 40, maxLength: 150 }),
        async (steps) => {
          const world = new World();
          for (const step of steps) await world.do(step);
          await world.settle();
          expect(world.doubles()).toEqual([]);
          const all = Object.values(world.given());
          const taken = all.flat().filter(inPool);
          const isFull = taken.filter((ip) => !ip.includes(':')).length === 6;
          if (!isFull) expect(all.filter((own) => own.length === 0)).toEqual([]);
          expect(Object.values(world.given()).flat()).not.toContain('garbage');
        },
      ),
      { numRuns: RUNS },
    );
  });
});
