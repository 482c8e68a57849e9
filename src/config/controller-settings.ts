import { apiTimeout, kubeconfig, listen, logLevel, retryMax, retryMin, shutdownTimeout } from './common-settings.ts';
import { featureGates } from './feature-gates.ts';
import { duration, list, listenAddress, oneOf, optionalText, type Settings, text, wholeNumber } from './field.ts';
import { SettingsError } from './load-settings.ts';

export const controllerFields = {
  podNamespace: text({
    placeholder: 'NAMESPACE',
    description: "namespace of the controller's own pod and of its lease",
  }),
  podName: text({ placeholder: 'NAME', description: "name of the controller's own pod: who holds the lease" }),
  kubeconfig,
  featureGates: featureGates({
    description: 'what the controller does; may be given more than once as a flag, the values add up',
  }),
  leaseName: text({
    placeholder: 'NAME',
    default: 'dynamic-networks-controller',
    description: 'the Lease that replicas agree by who leads',
  }),
  leaseDuration: duration('1s', '10m', {
    default: '15s',
    description: 'how long other replicas wait for a leader that does not renew its lease',
  }),
  renewDeadline: duration('500ms', '10m', {
    default: '10s',
    description: 'how long a leader that cannot renew its lease goes on; less than leaseDuration',
  }),
  leaseRetry: duration('10ms', '1m', {
    default: '1s',
    description: 'how often the lease is renewed or asked for; a third of renewDeadline at most',
  }),
  admissionMode: oneOf(['off', 'warn', 'enforce'], {
    default: 'warn',
    description:
      'with the gate NetworksAdmission: refuse pods that ask for networks which the user may not use, warn of it, or let everything pass',
  }),
  accessMemory: duration('0', '5m', {
    default: '10s',
    description: 'how long an answer about a right to a network is remembered',
  }),
  namespaceIsolation: oneOf(['on', 'off'], {
    default: 'off',
    description: 'with the gate NetworksAdmission: whether pods may only use networks of their own namespace',
  }),
  globalNamespaces: list({
    default: 'default',
    placeholder: 'NAMES',
    description: 'with namespaceIsolation on: namespaces whose networks every pod may use',
  }),
  nodeNetwork: text({
    placeholder: '[NAMESPACE/]NAME',
    default: 'node-network',
    description:
      "with the gate NodeNetwork: the NetworkAttachmentDefinition that `nodeNetwork: {}` of a virtual machine means; without a namespace, one of the machine's own",
  }),
  multusNamespace: text({
    placeholder: 'NAMESPACE',
    default: 'kube-system',
    description: "where Multus looks for a pod's default network that is named without a namespace",
  }),
  claimWait: duration('0', '8s', {
    default: '2s',
    description:
      'how long the creation of a pod waits for the addresses that it should have, before it is refused for now',
  }),
  webhookListen: listenAddress({
    default: ':9443',
    description: 'where the API server reaches the admission webhooks',
  }),
  webhookService: text({
    placeholder: 'NAME',
    default: 'dynamic-networks-webhook',
    description: 'the Service in front of the webhooks: what their certificate is for',
  }),
  webhookSecret: text({
    placeholder: 'NAME',
    default: 'dynamic-networks-webhook-certificate',
    description: 'the Secret in which replicas share the certificate that they make',
  }),
  webhookCertificateDir: optionalText({
    placeholder: 'PATH',
    description:
      'directory with tls.crt and tls.key that somebody else renews, cert-manager for one; nothing is made and no caBundle is written then',
  }),
  webhookLinger: duration('0', '30s', {
    default: '5s',
    description: 'how long the webhooks are still served after SIGTERM, until no API server asks this replica any more',
  }),
  webhookRefresh: duration('1s', '10m', {
    default: '30s',
    description:
      "how often a replica looks at the certificate: how long a damaged Secret, a lost caBundle or another replica's new certificate may go unnoticed",
  }),
  concurrency: wholeNumber(1, 64, { default: '8', description: 'how many objects of a kind are worked on at once' }),
  retryMin,
  retryMax,
  apiTimeout,
  shutdownTimeout,
  listen,
  logLevel,
};

export type ControllerSettings = Settings<typeof controllerFields>;

/** What no setting can tell alone. */
export const checkControllerSettings = ({ leaseDuration, renewDeadline, leaseRetry }: ControllerSettings): void => {
  const problems = [
    ...(renewDeadline < leaseDuration
      ? []
      : [`renewDeadline is ${renewDeadline} ms; allowed: less than leaseDuration, which is ${leaseDuration} ms`]),
    ...(leaseRetry * 3 <= renewDeadline
      ? []
      : [`leaseRetry is ${leaseRetry} ms; allowed: at most a third of renewDeadline, which is ${renewDeadline} ms`]),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
};
