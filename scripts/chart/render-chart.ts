// The Helm chart in deploy/chart, made from the manifests in deploy/: kustomize and Helm install the same objects, because
// there is one source of them. `npm run generate` writes it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { gateNames } from '../../src/config/feature-gates.ts';
import { gateFolders } from './gate-folders.ts';
import { type Kustomization, readKustomization, type SourceFile } from './kustomize-objects.ts';
import { parameterise } from './parameterise.ts';
import { renderSchema } from './render-schema.ts';
import { renderValues } from './render-values.ts';
import { TemplateWriter } from './template-text.ts';

export const renderChart = (deploy: string): ReadonlyMap<string, string> => {
  const base = readKustomization(deploy);
  const gates = gateNames.filter((gate) => existsSync(join(deploy, 'gates', gateFolders[gate])));
  const templates = [
    ...base.files
      .filter(({ path }) => path !== 'namespace.yaml')
      .map((file) => templateOf(file, conditionOf(file.path))),
    ...gates.flatMap((gate) =>
      readKustomization(deploy, join('gates', gateFolders[gate])).files.map((file) =>
        templateOf(file, `and .Values.controller.enabled (index .Values.featureGates "${gate}")`),
      ),
    ),
    ...base.configMaps.map(settingsTemplate),
    ...monitoringTemplates(deploy),
  ];
  return new Map([
    ['Chart.yaml', chartFile],
    ['values.yaml', renderValues(base, gates)],
    ['values.schema.json', renderSchema(gates)],
    ['templates/NOTES.txt', notes],
    ...templates,
  ]);
};

const generated = (source: string): string =>
  `{{- /* Made from deploy/${source}, which says why things are as they are. Do not edit: run "npm run generate". */ -}}\n`;

const conditionOf = (path: string): string | undefined =>
  path.startsWith('controller/') ? '.Values.controller.enabled' : undefined;

const templateOf = ({ path, objects }: SourceFile, condition?: string): [string, string] => {
  const writer = new TemplateWriter();
  const documents = objects.map((object) => writer.render(parameterise(object, writer)));
  const body = documents.join('---\n');
  const text = condition === undefined ? body : `{{- if ${condition} }}\n${body}{{- end }}\n`;
  return [`templates/${path.replaceAll('/', '-')}`, generated(path) + text];
};

/** The shipped settings, and over them those of the values. */
const settingsTemplate = ({ name, file }: Kustomization['configMaps'][number]): [string, string] => {
  const role = file.replace('-settings.yaml', '');
  const body = `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: {{ .Release.Namespace }}
data:
  ${file}: |
{{ toYaml .Values.${role}.settings | indent 4 }}
`;
  const condition = conditionOf(`${role}/`);
  const text = condition === undefined ? body : `{{- if ${condition} }}\n${body}{{- end }}\n`;
  return [
    `templates/${role}-settings.yaml`,
    `${generated(role === 'controller' ? `controller/${file}` : file)}${text}`,
  ];
};

const monitoringTemplates = (deploy: string): [string, string][] =>
  readKustomization(deploy, 'monitoring').files.map((file) =>
    templateOf(file, `.Values.monitoring.${file.path.endsWith('podmonitor.yaml') ? 'podMonitors' : 'alerts'}`),
  );

const chartFile = `# Made by "npm run generate". Do not edit.
apiVersion: v2
name: dynamic-networks
description: ${packageJson.description}
type: application
version: ${packageJson.version}
appVersion: ${packageJson.version}
kubeVersion: ">=1.30.0-0"
keywords: [multus, cni, networking, kubevirt, hot-plug]
`;

const notes = `dynamic-networks {{ .Chart.AppVersion }} is installed in {{ .Release.Namespace }}.

  kubectl -n {{ .Release.Namespace }} rollout status daemonset/dynamic-networks-agent

Plug a network into a running pod:

  kubectl annotate pod POD --overwrite k8s.v1.cni.cncf.io/networks='[{"name":"NETWORK","interface":"net1"}]'

The agents mount directories of their nodes, which the Pod Security levels "baseline" and "restricted" forbid:

  kubectl label namespace {{ .Release.Namespace }} pod-security.kubernetes.io/enforce=privileged --overwrite
`;
