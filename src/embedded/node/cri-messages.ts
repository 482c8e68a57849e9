// Sandboxes and containers in CRI's words, with the verbose info that containerd adds as JSON.
import {
  ContainerState,
  type ListContainersRequest,
  type ListPodSandboxRequest,
  PodSandboxState,
} from '../../../cri/generated/runtime.ts';
import type { RuntimeContainer, Sandbox, SandboxTable } from './sandbox-table.ts';

const labelsOf = (sandbox: Sandbox): Record<string, string> => ({
  'io.kubernetes.pod.uid': sandbox.podUid,
  'io.kubernetes.pod.namespace': sandbox.podNamespace,
  'io.kubernetes.pod.name': sandbox.podName,
});

export const toPodSandbox = (sandbox: Sandbox) => ({
  id: sandbox.id,
  metadata: {
    name: sandbox.podName,
    uid: sandbox.podUid,
    namespace: sandbox.podNamespace,
    attempt: sandbox.attempt,
  },
  state: sandbox.isReady ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY,
  createdAt: sandbox.createdAt,
});

export const toContainer = (container: RuntimeContainer) => ({
  id: container.id,
  podSandboxId: container.sandboxId,
  state: container.state === 'running' ? ContainerState.CONTAINER_RUNNING : ContainerState.CONTAINER_EXITED,
});

export const selectSandboxes = (table: SandboxTable, { filter }: ListPodSandboxRequest): Sandbox[] => {
  const labels = Object.entries(filter?.labelSelector ?? {});
  const uid = filter?.labelSelector['io.kubernetes.pod.uid'];
  const one = filter?.id ? table.find(filter.id) : undefined;
  const candidates = filter?.id ? (one ? [one] : []) : uid === undefined ? table.all() : table.ofPod(uid);
  return candidates.filter((sandbox) => {
    const own = labelsOf(sandbox);
    const isInState = filter?.state === undefined || toPodSandbox(sandbox).state === filter.state.state;
    return isInState && labels.every(([key, value]) => own[key] === value);
  });
};

export const selectContainers = (table: SandboxTable, { filter }: ListContainersRequest): RuntimeContainer[] => {
  const one = filter?.id ? table.findContainer(filter.id) : undefined;
  if (filter?.id) return one !== undefined && isOf(one, filter.podSandboxId) ? [one] : [];
  return filter?.podSandboxId ? table.containersOf(filter.podSandboxId) : table.allContainers();
};

const isOf = (container: RuntimeContainer, sandboxId: string): boolean =>
  sandboxId === '' || container.sandboxId === sandboxId;

export const sandboxInfo = (sandbox: Sandbox): string => {
  const network = sandbox.netns === '' ? [] : [{ type: 'network', path: sandbox.netns }];
  return JSON.stringify({
    pid: sandbox.isReady ? 4711 : 0,
    processStatus: sandbox.isReady ? 'running' : 'deleted',
    netNamespaceClosed: !sandbox.isReady,
    config: {
      metadata: {
        name: sandbox.podName,
        uid: sandbox.podUid,
        namespace: sandbox.podNamespace,
        attempt: sandbox.attempt,
      },
      labels: labelsOf(sandbox),
    },
    runtimeSpec: {
      ociVersion: '1.0.2-dev',
      linux: { namespaces: [{ type: 'pid' }, { type: 'ipc' }, { type: 'uts' }, { type: 'mount' }, ...network] },
    },
  });
};

export const containerInfo = (container: RuntimeContainer): string =>
  JSON.stringify({
    sandboxID: container.sandboxId,
    pid: container.state === 'running' ? 4712 : 0,
    config: { metadata: { name: container.name }, envs: container.env },
    runtimeSpec: {
      process: { env: ['PATH=/usr/bin:/bin', ...container.env.map(({ key, value }) => `${key}=${value}`)] },
    },
  });
