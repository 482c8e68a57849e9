// Writes network-status, the Ready report and the pod condition in one PATCH of the pod's status subresource, which also
// takes annotations. Guarded by the uid and by the network-status that the decision was based on: when somebody else wrote
// meanwhile, nothing is written and the caller decides anew.
import { annotationPointer } from '../model/annotation-pointer.ts';
import { KnownError } from '../model/errors.ts';
import type { InterfaceReport, ReadyCondition } from '../model/interface-report.ts';
import { formatNetworkStatus, NETWORK_STATUS_ANNOTATION, type StatusEntry } from '../model/network-status.ts';
import { INTERFACES_ANNOTATION, type Pod, READY_CONDITION } from '../model/pod.ts';
import type { ApiClient } from './api-client.ts';
import { toKnownWriteError } from './api-error.ts';

export interface PodStatusChange {
  /** Left out when network-status is right as it is. */
  readonly entries?: readonly StatusEntry[];
  readonly reports?: readonly InterfaceReport[];
  readonly condition?: ReadyCondition;
}

type PatchOperation = { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown };

/** Returns the pod as the server has it now. */
export const makeWritePodStatus =
  (client: Pick<ApiClient, 'json'>, now: () => Date) =>
  async (pod: Pod, change: PodStatusChange, signal: AbortSignal): Promise<unknown> => {
    const subject = `status of pod ${pod.key}`;
    try {
      return await client.json({
        method: 'PATCH',
        path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/status`,
        // Else the server reads the whole pod strictly, for warnings about fields that it does not know: ours it knows.
        query: { fieldValidation: 'Ignore' },
        contentType: 'application/json-patch+json',
        body: patchOf(pod, change, now()),
        signal,
      });
    } catch (error) {
      throw error instanceof KnownError ? error : toKnownWriteError(error, subject);
    }
  };

const patchOf = (pod: Pod, { entries, reports, condition }: PodStatusChange, now: Date): PatchOperation[] => [
  { op: 'test', path: '/metadata/uid', value: pod.uid },
  ...baseOf(pod, entries !== undefined),
  ...(entries === undefined ? [] : [setAnnotation(NETWORK_STATUS_ANNOTATION, formatNetworkStatus(entries))]),
  ...(reports === undefined ? [] : [setAnnotation(INTERFACES_ANNOTATION, JSON.stringify(reports))]),
  ...(condition === undefined ? [] : setCondition(pod, condition, now)),
];

/** What the decision was based on. That there is no status cannot be tested for, so the whole pod is to be the same. */
const baseOf = ({ statusText, resourceVersion }: Pod, setsStatus: boolean): PatchOperation[] => {
  if (statusText !== undefined)
    return [{ op: 'test', path: annotationPointer(NETWORK_STATUS_ANNOTATION), value: statusText }];
  return setsStatus ? [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }] : [];
};

const setAnnotation = (key: string, value: string): PatchOperation => ({
  op: 'add',
  path: annotationPointer(key),
  value,
});

const setCondition = (pod: Pod, condition: ReadyCondition, now: Date): PatchOperation[] => {
  const value = { type: READY_CONDITION, ...condition, lastTransitionTime: now.toISOString().replace(/\.\d+Z$/, 'Z') };
  const present = pod.condition;
  if (present === undefined) return [{ op: 'add', path: '/status/conditions/-', value }];
  const path = `/status/conditions/${present.index}`;
  const test: PatchOperation = { op: 'test', path: `${path}/type`, value: READY_CONDITION };
  // The transition time tells when the status changed, not when its reason did.
  if (present.status !== condition.status) return [test, { op: 'replace', path, value }];
  return [
    test,
    { op: 'add', path: `${path}/reason`, value: condition.reason },
    { op: 'add', path: `${path}/message`, value: condition.message },
  ];
};
