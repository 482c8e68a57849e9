// Events about a pod, as a node's components record them.
import type { KubeObject, ObjectStore } from '../api/object-store.ts';
import { timestamp } from './pod-status.ts';

export interface PodEvent {
  readonly component: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export const createPodEvent = (store: ObjectStore, pod: KubeObject, event: PodEvent): void => {
  const { name, namespace = 'default', uid, resourceVersion } = pod.metadata;
  const now = timestamp();
  store.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid, resourceVersion },
    reason: event.reason,
    message: event.message,
    type: event.type,
    source: { component: event.component },
    reportingComponent: event.component,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  });
};
