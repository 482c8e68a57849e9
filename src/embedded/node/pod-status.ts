// A pod's status as the kubelet writes it. Edits drafts of the object store; conditions of others stay untouched.
import type { KubeObject } from '../api/object-store.ts';
import { type JsonObject, objectsAt, stringAt } from './json-values.ts';

export const timestamp = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

export interface ContainerRecord {
  readonly name: string;
  readonly image: string;
  id: string;
  restartCount: number;
  startedAt: string;
  ended?: { exitCode: number; finishedAt: string };
}

const statusOf = (draft: KubeObject): JsonObject => {
  const status: JsonObject = draft.status ?? {};
  draft.status = status;
  return status;
};

const conditionsOf = (draft: KubeObject): JsonObject[] => {
  const status = statusOf(draft);
  const conditions = objectsAt(status, 'conditions');
  status['conditions'] = conditions;
  return conditions;
};

export const conditionStatus = (pod: KubeObject, type: string): string =>
  stringAt(
    objectsAt(pod.status, 'conditions').find((condition) => condition['type'] === type),
    'status',
  );

export const setCondition = (draft: KubeObject, type: string, value: boolean, reason = ''): void => {
  const conditions = conditionsOf(draft);
  const status = value ? 'True' : 'False';
  const existing = conditions.find((condition) => condition['type'] === type);
  if (existing?.['status'] === status && stringAt(existing, 'reason') === reason) return;
  const changed = {
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: existing?.['status'] === status ? existing['lastTransitionTime'] : timestamp(),
    ...(reason && { reason }),
  };
  if (existing === undefined) conditions.push(changed);
  else conditions.splice(conditions.indexOf(existing), 1, changed);
};

/** Ready needs every readiness gate besides the containers. */
export const isReadyByGates = (pod: KubeObject): boolean =>
  objectsAt(pod.spec, 'readinessGates').every(
    (gate) => conditionStatus(pod, stringAt(gate, 'conditionType')) === 'True',
  );

const containerStatus = (container: ContainerRecord): JsonObject => {
  const { name, image, id, restartCount, startedAt, ended } = container;
  const containerID = `containerd://${id}`;
  const state = ended
    ? { terminated: { ...ended, startedAt, containerID, reason: ended.exitCode === 0 ? 'Completed' : 'Error' } }
    : { running: { startedAt } };
  const isUp = ended === undefined;
  return { name, image, imageID: image, containerID, restartCount, ready: isUp, started: isUp, state, lastState: {} };
};

const setReady = (draft: KubeObject, areContainersReady: boolean): void => {
  setCondition(draft, 'ContainersReady', areContainersReady, areContainersReady ? '' : 'ContainersNotReady');
  const isReady = areContainersReady && isReadyByGates(draft);
  const reason = areContainersReady ? 'ReadinessGatesNotReady' : 'ContainersNotReady';
  setCondition(draft, 'Ready', isReady, isReady ? '' : reason);
};

export const setPending = (draft: KubeObject): void => {
  const status = statusOf(draft);
  status['phase'] = 'Pending';
  status['startTime'] ??= timestamp();
  setCondition(draft, 'PodReadyToStartContainers', false);
  setCondition(draft, 'Initialized', true);
  setReady(draft, false);
  setCondition(draft, 'PodScheduled', true);
};

export interface RunningState {
  readonly hostIp: string;
  readonly podIps: readonly string[];
  readonly containers: readonly ContainerRecord[];
}

export const setRunning = (draft: KubeObject, { hostIp, podIps, containers }: RunningState): void => {
  const status = statusOf(draft);
  status['phase'] = 'Running';
  status['startTime'] ??= timestamp();
  status['hostIP'] = hostIp;
  status['podIP'] = podIps[0];
  status['podIPs'] = podIps.map((ip) => ({ ip }));
  status['qosClass'] ??= 'BestEffort';
  status['containerStatuses'] = containers.map(containerStatus);
  setCondition(draft, 'PodReadyToStartContainers', true);
  setCondition(draft, 'Initialized', true);
  setReady(draft, true);
  setCondition(draft, 'PodScheduled', true);
};

export const setReadiness = (draft: KubeObject): void =>
  setReady(draft, conditionStatus(draft, 'ContainersReady') === 'True');

export const setEnded = (draft: KubeObject, containers: readonly ContainerRecord[]): void => {
  const status = statusOf(draft);
  const failed = containers.some((container) => (container.ended?.exitCode ?? 0) !== 0);
  status['phase'] = failed ? 'Failed' : 'Succeeded';
  status['containerStatuses'] = containers.map(containerStatus);
  setReady(draft, false);
};

export const setSandboxGone = (draft: KubeObject): void => setCondition(draft, 'PodReadyToStartContainers', false);

/** The containers of the spec, as they are before they first start. */
export const newContainers = (pod: KubeObject): ContainerRecord[] =>
  objectsAt(pod.spec, 'containers').map((container) => ({
    name: stringAt(container, 'name'),
    image: stringAt(container, 'image'),
    id: '',
    restartCount: 0,
    startedAt: '',
  }));
