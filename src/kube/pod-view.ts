// From a pod as the API sends it to the little the agent needs of it. Nothing past here sees a raw pod.
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { listIn, objectIn, textIn } from '../model/json-fields.ts';
import { podKey } from '../model/keys.ts';
import { NETWORKS_ANNOTATION } from '../model/network-selection.ts';
import { NETWORK_STATUS_ANNOTATION } from '../model/network-status.ts';
import { INTERFACES_ANNOTATION, type Pod, type PodCondition, READY_CONDITION } from '../model/pod.ts';

/** Set by the kubelet on the API's copy of a static pod: the uid that the runtime labels its sandbox with. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const LAUNCHER_LABEL = { key: 'kubevirt.io', value: 'virt-launcher' };

export const viewPod = (object: unknown): Pod | undefined => {
  const metadata = objectIn(object, 'metadata');
  const { namespace, name, uid, resourceVersion } = metadata;
  if (!isText(namespace) || !isText(name) || !isText(uid) || !isText(resourceVersion)) return undefined;
  const annotations = objectIn(metadata, 'annotations');
  const spec = objectIn(object, 'spec');
  const status = objectIn(object, 'status');
  const isDeleting = metadata['deletionTimestamp'] !== undefined;
  const phase = textIn(status, 'phase') ?? '';
  return {
    key: podKey(namespace, name),
    namespace,
    name,
    uid,
    resourceVersion,
    runtimeUid: textIn(annotations, MIRROR_ANNOTATION) ?? uid,
    networksText: textIn(annotations, NETWORKS_ANNOTATION),
    statusText: textIn(annotations, NETWORK_STATUS_ANNOTATION),
    interfacesText: textIn(annotations, INTERFACES_ANNOTATION),
    phase,
    hostIps: hostIps(status),
    isHostNetwork: spec['hostNetwork'] === true,
    isDeleting,
    hasEnded: phase === 'Succeeded' || phase === 'Failed' || (isDeleting && haveContainersEnded(status)),
    isLauncherPod: textIn(objectIn(metadata, 'labels'), LAUNCHER_LABEL.key) === LAUNCHER_LABEL.value,
    hasReadinessGate: listIn(spec, 'readinessGates').some((gate) => textIn(gate, 'conditionType') === READY_CONDITION),
    hasSandbox: textIn(sandboxCondition(status), 'status') !== 'False',
    sandboxMark: sandboxMark(status),
    condition: findCondition(status),
  };
};

/** Kubelets before 1.29 tell one address only. */
const hostIps = (status: JsonObject): readonly string[] => {
  const all = listIn(status, 'hostIPs').flatMap((entry) => textIn(entry, 'ip') ?? []);
  return all.length > 0 ? all : [textIn(status, 'hostIP') ?? []].flat();
};

/** While a pod is being deleted, a container that is merely waiting may still be started once more. */
const haveContainersEnded = (status: JsonObject): boolean => {
  const containers = listIn(status, 'containerStatuses');
  // Init containers that restart (sidecars) and ephemeral ones may outlive the others.
  const beside = [...listIn(status, 'initContainerStatuses'), ...listIn(status, 'ephemeralContainerStatuses')];
  const isIn = (container: unknown, state: string) => isJsonObject(objectIn(container, 'state')[state]);
  return (
    containers.length > 0 &&
    containers.every((container) => isIn(container, 'terminated')) &&
    !beside.some((container) => isIn(container, 'running'))
  );
};

/**
 * A new sandbox has new addresses on the default network, and the kubelet flips this condition to False and back on the way;
 * one of the two is enough to notice it without asking the runtime about pods in which nothing happened.
 */
const sandboxMark = (status: JsonObject): string => {
  const addresses = listIn(status, 'podIPs').map((entry) => textIn(entry, 'ip') ?? '');
  const started = sandboxCondition(status);
  return [...addresses, textIn(started, 'status') ?? '', textIn(started, 'lastTransitionTime') ?? ''].join('|');
};

const sandboxCondition = (status: JsonObject): unknown =>
  listIn(status, 'conditions').find((condition) => textIn(condition, 'type') === 'PodReadyToStartContainers');

const findCondition = (status: JsonObject): PodCondition | undefined => {
  const conditions = listIn(status, 'conditions');
  const index = conditions.findIndex((condition) => textIn(condition, 'type') === READY_CONDITION);
  const condition = conditions[index];
  if (condition === undefined) return undefined;
  return {
    index,
    status: textIn(condition, 'status') ?? '',
    reason: textIn(condition, 'reason'),
    message: textIn(condition, 'message'),
  };
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
