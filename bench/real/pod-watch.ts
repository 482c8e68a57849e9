// The pods of a namespace as the API tells of them, by a watch: what a person or a program sees of the agent's work, and when.
import * as z from 'zod';
import type { Interfaces } from '../../e2e/faults/invariant.ts';
import { type Pod, statusOf } from '../../e2e/pods.ts';
import type { ApiClient } from '../../src/kube/api-client.ts';
import { Reflector } from '../../src/kube/reflector.ts';

const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    annotations: z.optional(z.record(z.string(), z.string())),
    deletionTimestamp: z.optional(z.string()),
  }),
  spec: z.object({ nodeName: z.optional(z.string()) }),
  status: z.object({
    phase: z.string(),
    conditions: z.optional(z.array(z.object({ type: z.string(), status: z.string() }))),
  }),
});

interface Seen {
  readonly resourceVersion: string;
  readonly pod: Pod;
}

const seenOf = (object: unknown): Seen => {
  const { metadata, spec, status } = podSchema.parse(object);
  // Optional fields of the schema may hold undefined, those of Pod are absent then: the way over JSON is the short one.
  const pod: Pod = JSON.parse(JSON.stringify({ metadata, spec, status }));
  return { resourceVersion: metadata.resourceVersion, pod };
};

/** Whether network-status tells of these interfaces and of no other, each on its network. */
export const doesReport = (pod: Pod, interfaces: Interfaces): boolean => {
  const reported = statusOf(pod).filter((entry) => entry.default !== true);
  const wanted = Object.entries(interfaces);
  return (
    reported.length === wanted.length &&
    wanted.every(([name, network]) =>
      reported.some((entry) => entry.interface === name && entry.name === `${pod.metadata.namespace}/${network}`),
    )
  );
};

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.phase === 'Running' &&
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

export interface WaitOptions {
  readonly deadlineMs: number;
  /** Called once per pod, in the moment in which it is seen. */
  readonly onSeen?: (name: string) => void;
}

export const watchPods = async (client: ApiClient, namespace: string) => {
  const listeners = new Set<(name: string, pod: Pod | undefined) => void>();
  let changes = 0;
  const reflector = new Reflector<Seen>({
    client,
    path: `/api/v1/namespaces/${namespace}/pods`,
    view: seenOf,
    keyOf: ({ pod }) => pod.metadata.name,
    onChange: (name, seen) => {
      changes += 1;
      for (const listen of listeners) listen(name, seen?.pod);
    },
  });
  reflector.start();
  await reflector.synced;

  /** Until `isSo` was true of each named pod once, `undefined` standing for a pod that is not there. */
  const until = async (
    what: string,
    names: readonly string[],
    isSo: (name: string, pod: Pod | undefined) => boolean,
    { deadlineMs, onSeen }: WaitOptions,
  ): Promise<void> => {
    const missing = new Set(names);
    const all = Promise.withResolvers<void>();
    const look = (name: string, pod: Pod | undefined): void => {
      if (!missing.has(name) || !isSo(name, pod)) return;
      missing.delete(name);
      onSeen?.(name);
      if (missing.size === 0) all.resolve();
    };
    listeners.add(look);
    const tooLate = () =>
      all.reject(new Error(`${missing.size} of ${names.length} pods do not ${what}: ${[...missing].slice(0, 5)}`));
    const timer = setTimeout(tooLate, deadlineMs);
    try {
      for (const name of names) look(name, reflector.find(name)?.pod);
      await all.promise;
    } finally {
      clearTimeout(timer);
      listeners.delete(look);
    }
  };

  return {
    /** Grows with every change of a pod that is seen. */
    changeCount: (): number => changes,
    list: (): readonly Pod[] => reflector.list().map(({ pod }) => pod),
    get: (name: string): Pod => {
      const seen = reflector.find(name);
      if (seen === undefined) throw new Error(`no pod ${name} in ${namespace}`);
      return seen.pod;
    },
    untilReady: (names: readonly string[], options: WaitOptions): Promise<void> =>
      until('get ready', names, (_, pod) => pod !== undefined && isReady(pod), options),
    untilGone: (names: readonly string[], options: WaitOptions): Promise<void> =>
      until('go', names, (_, pod) => pod === undefined, options),
    untilReported: (wanted: ReadonlyMap<string, Interfaces>, options: WaitOptions): Promise<void> =>
      until(
        'report what they are to have',
        [...wanted.keys()],
        (name, pod) => pod !== undefined && doesReport(pod, wanted.get(name) ?? {}),
        options,
      ),
    stop: (): Promise<void> => reflector.stop(),
  };
};

export type PodWatch = Awaited<ReturnType<typeof watchPods>>;
