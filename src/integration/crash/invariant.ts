// What must hold once the agent has converged, whatever was killed before: kernel = status = ledger, and no address leaked.
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import type { Ref, World } from '../harness.ts';

/** Takes milliseconds; the rest is for machines with other work to do. */
const DEADLINE_MS = 60_000;

export interface Expectation {
  readonly pod: Ref;
  /** Interface to network. */
  readonly interfaces: Readonly<Record<string, string>>;
}

/** Waits until every pod is as expected and nothing is left over; says what is not when it takes too long. */
export const holdsEverywhere = async (
  world: World,
  expected: readonly Expectation[],
  context: string,
): Promise<void> => {
  for (const { pod, interfaces } of expected) {
    await world.converged(pod, interfaces, DEADLINE_MS).catch((error: unknown) => {
      const text = world.cluster.pod(pod).metadata.annotations?.[NETWORKS_ANNOTATION];
      throw new Error(
        `${context}: ${pod.name} does not converge to ${JSON.stringify(interfaces)} (annotation ${text})`,
        { cause: error },
      );
    });
  }
  const owned = new Set(
    expected.flatMap(({ pod, interfaces }) => Object.keys(interfaces).map((name) => `${pod.name}/${name}`)),
  );
  await world.cluster
    .until(
      'nothing is leaked',
      () => world.cluster.leaks().length === 0 && world.addresses().length === owned.size,
      DEADLINE_MS,
    )
    .catch((error: unknown) => {
      throw new Error(`${context}: leaked ${JSON.stringify(world.cluster.leaks())}; addresses ${world.addresses()}`, {
        cause: error,
      });
    });
  await world.cluster.until(
    `${context}: the ledger holds only what is attached`,
    async () => {
      const entries = Object.entries(await world.ledger());
      return entries.every(([name, state]) => state === 'added' && owned.has(name));
    },
    DEADLINE_MS,
  );
};
