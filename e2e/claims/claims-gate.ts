// The gate VMPersistentIPs on the suite's installation, turned on as users do: the definition of claims first, then the component.
import { mkdir, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { untilWebhookAnswers } from '../admission/webhook-answers.ts';
import { pollUntil } from '../cluster/poll-until.ts';
import { controllersReady } from '../controllers.ts';
import { waitForCrds } from '../established-crds.ts';
import { networksAnnotation } from '../pods.ts';
import type { Kubectl } from '../target.ts';

const artifacts = resolve(import.meta.dirname, '..', 'artifacts');
const base = resolve(artifacts, 'install');
const overlay = resolve(artifacts, 'install-claims');
const deploy = resolve(import.meta.dirname, '..', '..', 'deploy');

const configurationName = 'dynamic-networks-claims';
const deadlineMs = 120_000;

type Configuration = { readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[] };

const claimsCrd = 'ipamclaims.k8s.cni.cncf.io';
const crdsDir = resolve(deploy, 'crds');

export const hasClaims = async (kubectl: Kubectl): Promise<boolean> =>
  (await kubectl.try(['get', 'crd', claimsCrd])).exitCode === 0;

/** The definition, and with it every claim. */
export const removeClaims = async (kubectl: Kubectl): Promise<void> => {
  await kubectl.run(['delete', '-k', crdsDir, '--ignore-not-found', '--timeout=60s']);
};

export const turnClaimsOn = async (kubectl: Kubectl): Promise<void> => {
  await kubectl.run(['apply', '-k', crdsDir]);
  await waitForCrds(kubectl, [claimsCrd]);
  await mkdir(overlay, { recursive: true });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(overlay, base)],
    components: [relative(overlay, resolve(deploy, 'gates', 'vm-persistent-ips'))],
  };
  await writeFile(resolve(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
  await kubectl.run(['apply', '-k', overlay]);
  await controllersReady(kubectl);
  const hasBundle = async () => {
    const { webhooks } = await kubectl.getJson<Configuration>(['mutatingwebhookconfiguration', configurationName]);
    return webhooks[0]?.clientConfig.caBundle ? true : undefined;
  };
  await pollUntil('the caBundle', hasBundle, { deadlineMs });
  await claimsAnswered(kubectl);
};

/** A pod that is in no StatefulSet passes with a warning. */
const claimsAnswered = (kubectl: Kubectl) =>
  untilWebhookAnswers(kubectl, {
    labels: { 'dynamic-networks.io/persistent-ips': 'true' },
    annotations: { [networksAnnotation]: 'asked-about' },
  });

export const turnClaimsOff = async (kubectl: Kubectl): Promise<void> => {
  await kubectl.run(['delete', 'mutatingwebhookconfiguration', configurationName, '--ignore-not-found']);
  await kubectl.run(['apply', '-k', base]);
  await controllersReady(kubectl);
};
