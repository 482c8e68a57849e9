// What tests do with a node's files, containers and sandboxes, by whatever way commands get there: it takes containerd's `ctr` on the node.

export type Sandbox = { readonly id: string; readonly netnsPath: string; readonly createdAt: string };

/** Runs a command on the node, with the node's own programs; a failure is an error, and only the output comes back. */
export type RunOnNode = (command: readonly string[]) => Promise<string>;

export type NodeTools = ReturnType<typeof makeNodeTools>;

export const makeNodeTools = (name: string, run: RunOnNode) => {
  const ctr = (...args: string[]): Promise<string> => run(['ctr', '--namespace', 'k8s.io', ...args]);

  const containerIds = async (filter: string): Promise<readonly string[]> =>
    (await ctr('containers', 'list', '--quiet', filter)).split('\n').filter((id) => id !== '');

  const signalTask = async (id: string, signal: string): Promise<void> => {
    await ctr('tasks', 'kill', '--signal', signal, id);
  };

  return {
    name,
    run,
    ctr,
    signalTask,

    /** Every sandbox that containerd knows for the pod, dead ones too, newest first. */
    sandboxes: async (podUid: string): Promise<readonly Sandbox[]> => {
      const ids = await containerIds(
        `labels."io.kubernetes.pod.uid"==${podUid},labels."io.cri-containerd.kind"==sandbox`,
      );
      const found = await Promise.all(ids.map(async (id) => parseSandbox(id, await ctr('containers', 'info', id))));
      return found.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    },

    /** Running containers of pods by the container's name in the pod, e.g. `multus`. */
    signalContainers: async (containerName: string, signal: string): Promise<number> => {
      const ids = await containerIds(`labels."io.kubernetes.container.name"==${containerName}`);
      const outcomes = await Promise.allSettled(ids.map((id) => signalTask(id, signal)));
      return outcomes.filter(({ status }) => status === 'fulfilled').length;
    },
  };
};

const parseSandbox = (id: string, text: string): Sandbox => {
  const info: {
    CreatedAt: string;
    Spec: { linux?: { namespaces?: { type: string; path?: string }[] } };
  } = JSON.parse(text);
  const network = info.Spec.linux?.namespaces?.find(({ type }) => type === 'network');
  return { id, netnsPath: network?.path ?? '', createdAt: info.CreatedAt };
};
