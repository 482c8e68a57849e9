// Gives pods without a node one, turn by turn, as soon as they appear. A pod that names another scheduler stays alone.
import type { KubeObject, ObjectStore } from '../api/object-store.ts';
import { stringAt } from './json-values.ts';
import { setCondition } from './pod-status.ts';

const mustSchedule = (pod: KubeObject): boolean =>
  stringAt(pod.spec, 'nodeName') === '' &&
  ['', 'default-scheduler'].includes(stringAt(pod.spec, 'schedulerName')) &&
  pod.metadata.deletionTimestamp === undefined;

/** Returns the function that stops it. */
export const startScheduler = (store: ObjectStore, nodeNames: () => readonly string[]): (() => void) => {
  let turn = 0;
  const schedule = ({ metadata: { name, namespace = 'default' } }: KubeObject): void => {
    const ref = { resource: 'pods', namespace, name };
    const pod = store.find(ref);
    if (pod === undefined || !mustSchedule(pod)) return;
    const names = nodeNames();
    const nodeName = names[turn++ % names.length];
    store.modify(ref, (draft) => {
      draft.spec = { ...draft.spec, nodeName };
      setCondition(draft, 'PodScheduled', true);
    });
  };
  return store.subscribe(({ type, resource, object }) => {
    // Not within the listener: whoever created the pod should see it unscheduled first.
    if (resource === 'pods' && type !== 'DELETED' && mustSchedule(object)) queueMicrotask(() => schedule(object));
  });
};
