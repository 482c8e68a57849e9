// Nodes with many pods are busy although nothing happens: kubelets look at their pods, components renew their leases. What they use
// for that is measured just before, and taken off.
import { setTimeout as delay } from 'node:timers/promises';

const idleMs = 3000;

export const makeBackground = (cpuMs: () => Promise<number>) => {
  let perMs = 0;
  let since = performance.now();
  return {
    /** Nothing may happen meanwhile. */
    measure: async (): Promise<void> => {
      const [before, began] = [await cpuMs(), performance.now()];
      await delay(idleMs);
      const after = await cpuMs();
      since = performance.now();
      perMs = (after - before) / (since - began);
    },
    /** CPU time up to now, without what the background used since it was measured. */
    withoutIt: async (): Promise<number> => (await cpuMs()) - perMs * (performance.now() - since),
  };
};
