// values.yaml: every value with what it means, and what deploy/ has as its default.
import { dump, load } from 'js-yaml';
import { type Gate, gateDescriptions } from '../../src/config/feature-gates.ts';
import { isJsonObject } from '../../src/model/json.ts';
import type { KubeObject, Kustomization } from './kustomize-objects.ts';

export const renderValues = (base: Kustomization, gates: readonly Gate[]): string => {
  const objects = base.files.flatMap((file) => file.objects);
  const daemonSet = podOf(objects, 'DaemonSet');
  const deployment = podOf(objects, 'Deployment');
  return `# Values of the chart. Made by "npm run generate" from deploy/: do not edit here, override what you need in a file of your own.

image:
  repository: ${base.image?.newName ?? 'localhost/dynamic-networks'}
  # The version of the chart if empty.
  tag: ""
  # sha256:…; counts instead of the tag, and is what production should name.
  digest: ""
  pullPolicy: IfNotPresent

# What the controller does beyond the agents. Each brings the rights that it needs.
featureGates:
${gates.map((gate) => `  # ${gateDescriptions[gate]}\n  ${gate}: false`).join('\n') || '  {}'}

agent:
  # Settings by name: docs/configuration.md.
  settings:
${indent(dump(settingsOf(base, 'agent')), 4)}
${podValues(daemonSet)}
controller:
  # Without it the agents work all the same, and no feature gate counts.
  enabled: true
  replicas: 2
  settings:
${indent(dump(settingsOf(base, 'controller')), 4)}
${podValues(deployment)}
# For clusters with the Prometheus operator.
monitoring:
  podMonitors: false
  alerts: false
`;
};

const settingsOf = (base: Kustomization, role: string): KubeObject => {
  const found = base.configMaps.find(({ file }) => file === `${role}-settings.yaml`);
  const settings = found && load(found.content);
  return isJsonObject(settings) ? { ...settings } : {};
};

const podOf = (objects: readonly KubeObject[], kind: string): KubeObject => {
  const workload = objects.find((object) => object['kind'] === kind);
  const pod = ['spec', 'template', 'spec'].reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    workload,
  );
  if (!isJsonObject(pod)) throw new Error(`deploy/ has no ${kind}`);
  return { ...pod };
};

const podValues = (pod: KubeObject): string => {
  const { containers } = pod;
  const container: unknown = Array.isArray(containers) ? containers[0] : undefined;
  const values = {
    resources: isJsonObject(container) ? container['resources'] : {},
    nodeSelector: pod['nodeSelector'] ?? {},
    tolerations: pod['tolerations'] ?? [],
    affinity: pod['affinity'] ?? {},
    priorityClassName: pod['priorityClassName'] ?? '',
    imagePullSecrets: [],
  };
  return indent(dump(values), 2);
};

const indent = (text: string, spaces: number): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(spaces) + line))
    .join('\n');
