// The gate NetworksAdmission on the suite's installation: turned on as users do, by listing its component, and taken off again.
import { mkdir, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { pollUntil } from '../cluster/poll-until.ts';
import { controllersReady } from '../controllers.ts';
import { agentNamespace, controllerDeployment } from '../install-agent.ts';
import { readMetrics } from '../pod-metrics.ts';
import { networksAnnotation, type PodRef } from '../pods.ts';
import type { Kubectl } from '../target.ts';
import { untilWebhookAnswers } from './webhook-answers.ts';

const artifacts = resolve(import.meta.dirname, '..', 'artifacts');
const base = resolve(artifacts, 'install');
const overlay = resolve(artifacts, 'install-admission');
const gates = resolve(import.meta.dirname, '..', '..', 'deploy', 'gates');

export const configurationName = 'dynamic-networks-admission';
export const secretName = 'dynamic-networks-webhook-certificate';
export const webhookName = 'networks.dynamic-networks.io';
const deadlineMs = 120_000;

type Configuration = { readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[] };

/** Of the gate NodeNetwork. */
const keeping = ['mutatingwebhookconfiguration', 'dynamic-networks-node-network'];

const bundleIn = async (kubectl: Kubectl, configuration: readonly string[]): Promise<string> => {
  const { webhooks } = await kubectl.getJson<Configuration>(configuration);
  return webhooks[0]?.clientConfig.caBundle ?? '';
};
export const caBundle = (kubectl: Kubectl): Promise<string> =>
  bundleIn(kubectl, ['validatingwebhookconfiguration', configurationName]);

type Mode = 'off' | 'warn' | 'enforce';
const modeVariable = 'DYNAMIC_NETWORKS_ADMISSION_MODE';

export type AdmissionOptions = {
  /** Folders of gates that are turned on with it, and off with it. */
  readonly others?: readonly string[];
  /** Environment of the controllers beside the mode. */
  readonly environment?: Readonly<Record<string, string>>;
};

const answers = (kubectl: Kubectl) => untilWebhookAnswers(kubectl, { annotations: { [networksAnnotation]: '[' } });

/** In one rollout: each takes a while. */
export const turnAdmissionOn = async (
  kubectl: Kubectl,
  mode: Mode,
  { others = [], environment = {} }: AdmissionOptions = {},
): Promise<void> => {
  const variables = Object.entries({ [modeVariable]: mode, ...environment });
  await mkdir(overlay, { recursive: true });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(overlay, base)],
    components: ['networks-admission', ...others].map((name) => relative(overlay, resolve(gates, name))),
    patches: [
      {
        target: { kind: 'Deployment', name: controllerDeployment },
        patch: JSON.stringify(
          variables.map(([name, value]) => ({
            op: 'add',
            path: '/spec/template/spec/containers/0/env/-',
            value: { name, value },
          })),
        ),
      },
    ],
  };
  await writeFile(resolve(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
  await kubectl.run(['apply', '-k', overlay]);
  await controllersReady(kubectl);
  await pollUntil('the caBundle', async () => ((await caBundle(kubectl)) === '' ? undefined : true), { deadlineMs });
  await answers(kubectl);
  if (!others.includes('node-network')) return;
  const isTrusted = async () => ((await bundleIn(kubectl, keeping)) === '' ? undefined : true);
  await pollUntil('the caBundle of the webhook that keeps the network', isTrusted, { deadlineMs });
};

export const turnAdmissionOff = async (kubectl: Kubectl): Promise<void> => {
  await kubectl.run(['delete', 'validatingwebhookconfiguration', configurationName, '--ignore-not-found']);
  await kubectl.run(['delete', ...keeping, '--ignore-not-found']);
  await kubectl.run(['apply', '-k', base]);
  await controllersReady(kubectl);
};

export const setMode = async (kubectl: Kubectl, mode: Mode): Promise<void> => {
  await kubectl.run([
    '-n',
    agentNamespace,
    'set',
    'env',
    `deployment/${controllerDeployment}`,
    `${modeVariable}=${mode}`,
  ]);
  await controllersReady(kubectl);
  await answers(kubectl);
};

/** How many questions a replica has answered. */
export const countAnswers = async (kubectl: Kubectl, replica: PodRef): Promise<number> => {
  const metrics = await readMetrics(kubectl, replica);
  const samples = metrics.matchAll(/^dynamic_networks_controller_admission_duration_seconds_count\{.*\} (\d+)$/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
};
