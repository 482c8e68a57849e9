// Which values of a manifest the chart leaves to its user. Everything else is as deploy/ has it.
import { type Gate, gateNames } from '../../src/config/feature-gates.ts';
import { isJsonObject } from '../../src/model/json.ts';
import type { KubeObject } from './kustomize-objects.ts';
import type { TemplateWriter } from './template-text.ts';

const NAMESPACE = 'dynamic-networks';

export const parameterise = (object: KubeObject, writer: TemplateWriter): KubeObject => {
  const copy = structuredClone(object);
  replaceNamespace(copy, writer);
  const kind = copy['kind'];
  if (kind === 'DaemonSet') parameterisePods(copy, 'agent', writer);
  if (kind === 'Deployment') {
    parameterisePods(copy, 'controller', writer);
    objectAt(copy, 'spec')['replicas'] = writer.put({ kind: 'scalar', text: '{{ .Values.controller.replicas }}' });
  }
  return copy;
};

/** Wherever the namespace of the installation is named: in metadata, in subjects of bindings, in services of webhooks. */
const replaceNamespace = (value: unknown, writer: TemplateWriter): void => {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      // Namespaces that a webhook leaves out.
      if (item === NAMESPACE) value[index] = writer.put({ kind: 'scalar', text: '{{ .Release.Namespace }}' });
      else replaceNamespace(item, writer);
    }
  }
  if (!isRecord(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === 'namespace' && child === NAMESPACE)
      value[key] = writer.put({ kind: 'scalar', text: '{{ .Release.Namespace }}' });
    else if (typeof child === 'string' && child.includes(`system:serviceaccount:${NAMESPACE}:`)) {
      const mark = writer.put({ kind: 'scalar', text: '{{ .Release.Namespace }}' });
      value[key] = child.replaceAll(`system:serviceaccount:${NAMESPACE}:`, `system:serviceaccount:${mark}:`);
    } else replaceNamespace(child, writer);
  }
};

const parameterisePods = (workload: KubeObject, role: 'agent' | 'controller', writer: TemplateWriter): void => {
  const template = objectAt(objectAt(workload, 'spec'), 'template');
  const values = `.Values.${role}`;
  const settings = `templates/${role}-settings.yaml`;
  objectAt(template, 'metadata')['annotations'] = {
    // kustomize names the ConfigMap after its content; here this line is what restarts the pods when a setting changes.
    'checksum/settings': writer.put({
      kind: 'scalar',
      text: `{{ include (print $.Template.BasePath "/${settings.replace('templates/', '')}") . | sha256sum }}`,
    }),
  };
  const pod = objectAt(template, 'spec');
  for (const field of ['nodeSelector', 'tolerations', 'priorityClassName', 'affinity', 'imagePullSecrets']) {
    const isScalar = field === 'priorityClassName';
    pod[field] = writer.put(
      isScalar ? { kind: 'scalar', text: `{{ ${values}.${field} }}` } : { kind: 'block', text: `${values}.${field}` },
    );
  }
  const container = firstContainer(pod);
  container['image'] = writer.put({ kind: 'scalar', text: imageExpression });
  container['imagePullPolicy'] = writer.put({ kind: 'scalar', text: '{{ .Values.image.pullPolicy }}' });
  container['resources'] = writer.put({ kind: 'block', text: `${values}.resources` });
  if (role === 'controller' && Array.isArray(container['args'])) {
    container['args'] = [...container['args'], ...gateNames.map((gate) => gateArgument(gate, writer))];
  }
};

/** By digest if one is given; else by tag, which is the chart's own version unless said otherwise. */
const imageExpression =
  '"{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"';

/** The same argument as the gate's component for kustomize adds. */
const gateArgument = (gate: Gate, writer: TemplateWriter): string =>
  writer.put({
    kind: 'optional',
    condition: `index .Values.featureGates "${gate}"`,
    text: `--feature-gates=${gate}=true`,
  });

const isRecord = (value: unknown): value is KubeObject => isJsonObject(value);

const objectAt = (value: KubeObject, key: string): KubeObject => {
  const inner = value[key];
  if (!isRecord(inner)) throw new Error(`expected an object at ${key}`);
  return inner;
};

const firstContainer = (pod: KubeObject): KubeObject => {
  const { containers } = pod;
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined;
  if (!isRecord(first)) throw new Error('expected a container');
  return first;
};
