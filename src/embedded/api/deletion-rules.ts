// What a DELETE does to an object that is there: pure rules, as the generic registry and the pod strategy of
// Kubernetes have them.

import type { KubeObject, RemoveOptions, ResourceName } from './object-store.ts';

const defaultPodGraceSeconds = 30;

/** How long the object may still live: 0 unless it is a scheduled pod that has not ended yet. */
export function gracePeriodOf(resource: ResourceName, object: KubeObject, asked: number | undefined): number {
  if (resource !== 'pods') return 0;
  if (object.spec?.['nodeName'] === undefined || object.spec['nodeName'] === '') return 0;
  const phase = object.status?.['phase'];
  if (phase === 'Succeeded' || phase === 'Failed') return 0;
  const ofPod = object.spec['terminationGracePeriodSeconds'];
  const period = asked ?? (typeof ofPod === 'number' ? ofPod : defaultPodGraceSeconds);
  return period < 0 ? 1 : period;
}

export const hasFinalizers = (object: KubeObject): boolean => (object.metadata.finalizers ?? []).length > 0;

/** Whether an object marked for deletion has nothing left to wait for. */
export const isDeletable = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  !hasFinalizers(object);

/** Whether a further DELETE changes anything: a grace period can be shortened, never prolonged. */
export const shortensGrace = (object: KubeObject, graceSeconds: number): boolean =>
  object.metadata.deletionTimestamp === undefined || graceSeconds < (object.metadata.deletionGracePeriodSeconds ?? 0);

/** Why the preconditions of a DELETE do not hold, if they do not. */
export function failedPrecondition(object: KubeObject, asked: RemoveOptions): string | undefined {
  const { uid, resourceVersion } = object.metadata;
  if (asked.uid !== undefined && asked.uid !== uid) {
    return `the UID in the precondition (${asked.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
  }
  if (asked.resourceVersion !== undefined && asked.resourceVersion !== resourceVersion) {
    return `the ResourceVersion in the precondition (${asked.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
  }
  return undefined;
}
