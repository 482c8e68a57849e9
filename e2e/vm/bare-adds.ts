// How long Multus itself takes for one more interface in each of many pods of a node, asked directly: the floor under any time that
// the agent can need on this machine, at this hour.
import { inNode } from '../cluster/layout.ts';
import type { NodeTools } from '../cluster/node-tools.ts';
import type { Network } from '../networks.ts';

type Sandbox = { readonly id: string; readonly pod: string; readonly uid: string; readonly netns: string };

const listSandboxes = async (node: NodeTools, namespace: string): Promise<readonly Sandbox[]> => {
  const filter = `labels."io.kubernetes.pod.namespace"==${namespace},labels."io.cri-containerd.kind"==sandbox`;
  const script =
    'for id in $(ctr -n k8s.io containers list -q "$1"); do ctr -n k8s.io containers info "$id" | tr -d "\\n"; echo; done';
  const lines = (await node.run(['sh', '-c', script, 'sh', filter])).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const info: {
      ID: string;
      Labels: Readonly<Record<string, string>>;
      Spec: { linux: { namespaces: readonly { type: string; path?: string }[] } };
    } = JSON.parse(line);
    return {
      id: info.ID,
      pod: info.Labels['io.kubernetes.pod.name'] ?? '',
      uid: info.Labels['io.kubernetes.pod.uid'] ?? '',
      netns: info.Spec.linux.namespaces.find(({ type }) => type === 'network')?.path ?? '',
    };
  });
};

const requestFor = (command: 'ADD' | 'DEL', sandbox: Sandbox, network: Network): string =>
  JSON.stringify({
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: sandbox.id,
      CNI_NETNS: sandbox.netns,
      CNI_IFNAME: 'bare0',
      CNI_ARGS: `K8S_POD_NAMESPACE=${network.namespace};K8S_POD_NAME=${sandbox.pod};K8S_POD_UID=${sandbox.uid}`,
    },
    config: Buffer.from(network.config).toString('base64'),
    interfaceAttributes: {},
  });

/** Every file of /tmp/bare is a request; the time is the node's own, without that of getting there. */
const script = `
rm -rf /tmp/bare; mkdir /tmp/bare; parallel=$1; shift
i=0; for request in "$@"; do i=$((i+1)); printf %s "$request" > "/tmp/bare/$i"; done
begin=$(date +%s%N)
ls /tmp/bare | xargs -P "$parallel" -I NAME curl -sS --fail-with-body --unix-socket ${inNode.multusSocket} -o /dev/null \\
  -H 'Content-Type: application/json' --data-binary @/tmp/bare/NAME http://multus/delegate || exit 1
echo $((($(date +%s%N) - begin) / 1000000))
`;

/** Milliseconds for one ADD in every pod of the network's namespace on this node; all are taken back. */
export const timeBareAdds = async (
  node: NodeTools,
  network: Network,
  parallel: number,
): Promise<{ readonly pods: number; readonly durationMs: number }> => {
  const sandboxes = await listSandboxes(node, network.namespace);
  const run = async (command: 'ADD' | 'DEL'): Promise<number> => {
    const requests = sandboxes.map((sandbox) => requestFor(command, sandbox, network));
    return Number(await node.run(['sh', '-c', script, 'sh', String(parallel), ...requests]));
  };
  const durationMs = await run('ADD');
  await run('DEL');
  return { pods: sandboxes.length, durationMs };
};
