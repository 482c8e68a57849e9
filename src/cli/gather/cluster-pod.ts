// A pod as commands want it: the agent's own view of it, and what people want to know besides.
import * as z from 'zod/mini';
import { viewPod } from '../../kube/pod-view.ts';
import type { Pod } from '../../model/pod.ts';
import { CliError } from '../cli-error.ts';
import { findObject, listObjects, type Reader } from './read-objects.ts';
import { PODS } from './resources.ts';

export interface ClusterPod {
  readonly resourceVersion: string;
  readonly pod: Pod;
  readonly nodeName: string | undefined;
  /** Who made it: its successors will not have what is plugged into this one. */
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
  /** The virtual machine whose launcher pod it is. */
  readonly vm: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const texts = z.optional(z.nullable(z.record(z.string(), z.string())));

const schema = z.object({
  metadata: z.object({
    labels: texts,
    annotations: texts,
    ownerReferences: z.optional(
      z.array(z.object({ kind: z.string(), name: z.string(), controller: z.optional(z.boolean()) })),
    ),
  }),
  spec: z.optional(z.object({ nodeName: z.optional(z.string()) })),
});

export const viewClusterPod = (object: unknown): ClusterPod | undefined => {
  const pod = viewPod(object);
  const parsed = schema.safeParse(object);
  if (pod === undefined || !parsed.success) return undefined;
  const { metadata, spec } = parsed.data;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const labels = metadata.labels ?? {};
  const annotations = metadata.annotations ?? {};
  return {
    resourceVersion: pod.resourceVersion,
    pod,
    nodeName: spec?.nodeName,
    owner: owner && { kind: owner.kind, name: owner.name },
    vm: pod.isLauncherPod ? (annotations['kubevirt.io/domain'] ?? labels['vm.kubevirt.io/name']) : undefined,
    labels,
    annotations,
  };
};

export const listPods = async (
  reader: Reader,
  namespace: string | undefined,
  query: Record<string, string> = {},
): Promise<readonly ClusterPod[]> =>
  (await listObjects(reader, PODS, { namespace, query })).flatMap((object) => viewClusterPod(object) ?? []);

export const getPod = async (reader: Reader, namespace: string, name: string): Promise<ClusterPod> => {
  const object = await findObject(reader, PODS, { namespace, name });
  const found = object === undefined ? undefined : viewClusterPod(object);
  if (found === undefined) {
    throw new CliError(
      `pod ${namespace}/${name} does not exist`,
      `kubectl get pods -n ${namespace} lists those that do; -n names another namespace`,
    );
  }
  return found;
};
