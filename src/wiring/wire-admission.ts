// The admission webhooks: what the gates turn on, served by every replica on one port with one certificate.
import type { Decide } from '../admission/admission-server.ts';
import { CertificateDirectory } from '../admission/certificate-directory.ts';
import { CertificateKeeper } from '../admission/certificate-keeper.ts';
import { fromSecretData, toSecretData } from '../admission/certificate-material.ts';
import { makeCertificate } from '../admission/make-certificate.ts';
import type { ServingPair } from '../admission/serving-pair.ts';
import { type CertificateSource, WebhookService } from '../admission/webhook-service.ts';
import type { Gate } from '../config/feature-gates.ts';
import { makeKeepNodeNetworks } from '../controller/admission/keep-node-networks.ts';
import { makeMutateClaims } from '../controller/admission/mutate-claims.ts';
import { makeValidateMachines } from '../controller/admission/validate-machines.ts';
import { makeValidateNetworks } from '../controller/admission/validate-networks.ts';
import { NetworkAccess } from '../kube/network-access.ts';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../kube/resource.ts';
import { SecretData } from '../kube/secret-data.ts';
import { makeTrustBundle, type WebhookConfiguration } from '../kube/webhook-trust.ts';
import { type AdmissionMetrics, createAdmissionMetrics } from '../telemetry/admission-metrics.ts';
import { makeClaimLookups } from './claim-lookups.ts';
import type { Feature, FeatureContext } from './feature.ts';

/** As the manifests call them. */
export const ADMISSION_CONFIGURATION: WebhookConfiguration = {
  resource: validatingWebhookConfigurations,
  name: 'dynamic-networks-admission',
};
export const CLAIMS_CONFIGURATION: WebhookConfiguration = {
  resource: mutatingWebhookConfigurations,
  name: 'dynamic-networks-claims',
};
export const NODE_NETWORK_CONFIGURATION: WebhookConfiguration = {
  resource: mutatingWebhookConfigurations,
  name: 'dynamic-networks-node-network',
};
export const NETWORKS_PATH = '/networks';
export const MACHINES_PATH = '/machines';
export const CLAIMS_PATH = '/claims';
export const NODE_NETWORKS_PATH = '/node-networks';

const RETRY_MS = 5_000;
/** More than any answer takes. */
const GRACE_MS = 10_000;

/** What a gate serves, and the configuration by which the API server asks it. */
interface Served {
  readonly webhooks: Readonly<Record<string, Decide>>;
  readonly configuration: WebhookConfiguration;
}
type Serve = (context: FeatureContext, metrics: AdmissionMetrics) => Served;

const serveNetworks: Serve = ({ settings, client }, metrics) => {
  const rules = {
    mode: settings.admissionMode,
    access: new NetworkAccess({
      client,
      rememberMs: settings.accessMemory,
      now: () => performance.now(),
      onAsked: metrics.reviewed,
    }),
    isolation: {
      isNamespaceIsolated: settings.namespaceIsolation === 'on',
      globalNamespaces: settings.globalNamespaces,
    },
  };
  return {
    webhooks: {
      [NETWORKS_PATH]: makeValidateNetworks({ ...rules, multusNamespace: settings.multusNamespace }),
      [MACHINES_PATH]: makeValidateMachines({ ...rules, nodeNetwork: settings.nodeNetwork }),
    },
    configuration: ADMISSION_CONFIGURATION,
  };
};

const serveClaims: Serve = (context) => ({
  webhooks: {
    [CLAIMS_PATH]: makeMutateClaims({ ...makeClaimLookups(context), claimWaitMs: context.settings.claimWait }),
  },
  configuration: CLAIMS_CONFIGURATION,
});

const serveNodeNetworks: Serve = ({ settings, watched }) => {
  const instances = watched.instances();
  return {
    webhooks: {
      [NODE_NETWORKS_PATH]: makeKeepNodeNetworks({
        definition: settings.nodeNetwork,
        findSpec: ({ key, uid }) => {
          const machine = instances.find(key);
          return machine?.uid === uid ? machine.spec : undefined;
        },
      }),
    },
    configuration: NODE_NETWORK_CONFIGURATION,
  };
};

const WEBHOOKS: readonly { readonly gate: Gate; readonly serve: Serve }[] = [
  { gate: 'NetworksAdmission', serve: serveNetworks },
  { gate: 'VMPersistentIPs', serve: serveClaims },
  { gate: 'NodeNetwork', serve: serveNodeNetworks },
];

export const wireAdmission = (context: FeatureContext): readonly Feature[] => {
  const { settings, log } = context;
  const turnedOn = WEBHOOKS.filter(({ gate }) => settings.featureGates.has(gate));
  if (turnedOn.length === 0) return [];
  const metrics = createAdmissionMetrics(context.registry, {
    webhooks: [NETWORKS_PATH, MACHINES_PATH, CLAIMS_PATH, NODE_NETWORKS_PATH],
    certificateExpiry: () => service.expiry,
  });
  const served = turnedOn.map(({ serve }) => serve(context, metrics));
  const webhooks = Object.fromEntries(served.flatMap((one) => Object.entries(one.webhooks)));
  const configurations = served.map(({ configuration }) => configuration);

  const service = new WebhookService({
    server: {
      ...settings.webhookListen,
      webhooks,
      onAnswer: metrics.answered,
      onBug: (webhook, error) => log.warn({ webhook, err: error }, 'an admission webhook failed unexpectedly'),
    },
    makeSource: (onServe) => certificateSource(context, configurations, onServe),
    refreshMs: settings.webhookRefresh,
    retryMs: RETRY_MS,
    stop: { lingerMs: settings.webhookLinger, graceMs: GRACE_MS },
    now: () => new Date(),
    onError: (error) => {
      metrics.certificateFailed();
      log.warn({ err: error }, 'the webhook certificate could not be refreshed');
    },
  });
  const startServices = async () => {
    service.start();
    return [{ name: 'webhook', probe: () => service.probe(), stop: () => service.stop() }];
  };
  return [{ loops: [], startServices }];
};

const certificateSource = (
  { settings, client, log }: FeatureContext,
  configurations: readonly WebhookConfiguration[],
  onServe: (pair: ServingPair) => void,
): CertificateSource => {
  const names = [`${settings.webhookService}.${settings.podNamespace}.svc`];
  const now = () => new Date();
  if (settings.webhookCertificateDir !== '') {
    return new CertificateDirectory({ path: settings.webhookCertificateDir, names, now, onServe });
  }
  const secret = new SecretData(client, { namespace: settings.podNamespace, name: settings.webhookSecret });
  return new CertificateKeeper({
    secret: {
      find: async (signal) => {
        const found = await secret.find(signal);
        return found && { material: fromSecretData(found.data), version: found.version };
      },
      replace: (material, version, signal) => secret.replace(toSecretData(material), version, signal),
    },
    trust: makeTrustBundle(client, configurations),
    make: makeCertificate,
    names,
    now,
    onServe,
    onNews: (message) => log.info({}, message),
  });
};
