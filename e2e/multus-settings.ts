// Changes the real Multus: its daemon's configuration, and a restart of the daemon on every node.
import type { Kubectl } from './target.ts';

const namespace = 'kube-system';
const configMap = 'multus-daemon';
const file = 'daemon-config.json';

/** `undefined` takes a field away. Returns when every daemon runs with it, and has written its file for the runtime. */
export const changeMultus = async (kubectl: Kubectl, changes: Readonly<Record<string, unknown>>): Promise<void> => {
  const { data } = await kubectl.getJson<{ data: Readonly<Record<string, string>> }>([
    ...['-n', namespace, 'configmap', configMap],
  ]);
  const config: object = { ...JSON.parse(data[file] ?? '{}'), ...changes };
  const patch = JSON.stringify({ data: { [file]: JSON.stringify(config) } });
  await kubectl.run(['-n', namespace, 'patch', 'configmap', configMap, '--type=merge', `--patch=${patch}`]);
  await kubectl.run(['-n', namespace, 'rollout', 'restart', 'daemonset/multus']);
  await kubectl.run(['-n', namespace, 'rollout', 'status', 'daemonset/multus', '--timeout=90s']);
};
