import { apiTimeout, kubeconfig, listen, logLevel, retryMax, retryMin, shutdownTimeout } from './common-settings.ts';
import { duration, list, oneOf, optionalName, path, type Settings, text, wholeNumber } from './field.ts';

export const agentFields = {
  nodeName: text({ placeholder: 'NAME', description: 'name of the node that the agent serves' }),
  podNamespace: text({ placeholder: 'NAMESPACE', description: "namespace of the agent's own pod" }),
  podName: text({
    placeholder: 'NAME',
    description: "name of the agent's own pod: addresses of pods that are gone are released in its name",
  }),
  podUid: text({ placeholder: 'UID', description: "uid of the agent's own pod" }),
  kubeconfig,
  criSocket: path({ default: '/run/containerd/containerd.sock', description: "the container runtime's CRI socket" }),
  multusSocket: path({ default: '/run/multus/multus.sock', description: "the Multus daemon's socket" }),
  ledgerDir: path({
    default: '/var/lib/dynamic-networks',
    description: 'where the agent keeps what it did: must outlive its pod',
  }),
  multusCacheDir: path({
    default: '/var/lib/cni/multus',
    description: 'where Multus remembers what it attached at pod creation (read only)',
  }),
  hostLocalDir: path({
    default: '/var/lib/cni/networks',
    description: 'where the IPAM plugin host-local keeps the addresses that it gave out (read only)',
  }),
  cniConfigDir: path({
    default: '/etc/cni/net.d',
    description: "the runtime's CNI directory, where Multus' own configuration is (read only)",
  }),
  networkConfigDir: path({
    default: '/etc/cni/multus/net.d',
    description: 'CNI configs for NetworkAttachmentDefinitions without a config (read only)',
  }),
  nodeNetwork: optionalName({
    default: 'node-network',
    placeholder: 'NAME',
    description:
      "name of NetworkAttachmentDefinitions without a config that mean the network of the node's own address; empty turns it off",
  }),
  hostNetDir: path({
    default: '/proc/1/net',
    description: "the kernel's tables of the node's network, where the interface with its address is found (read only)",
  }),
  concurrency: wholeNumber(1, 64, { default: '8', description: 'how many pods are worked on at once' }),
  retryMin,
  retryMax,
  checkInterval: duration('0', '24h', {
    default: '10m',
    description: 'how often each pod is checked for interfaces that vanished; 0 turns it off',
  }),
  deviceAttachments: oneOf(['keep', 'manage'], {
    default: 'keep',
    description:
      'device-plugin networks attached at pod creation that left the annotation: keep them, or manage (remove) them like others',
  }),
  namespaceIsolation: oneOf(['follow', 'on', 'off'], {
    default: 'follow',
    description:
      "whether pods may only use networks of their own namespace: follow Multus' configuration of this node, or set it here",
  }),
  globalNamespaces: list({
    default: 'default',
    placeholder: 'NAMES',
    description: 'with namespaceIsolation on: namespaces whose networks every pod may use',
  }),
  defaultNetworks: list({
    default: '',
    placeholder: 'NAMESPACE/NAME',
    description:
      "networks that Multus attaches to every pod unasked (its defaultNetworks), which are never touched; those in Multus' configuration on the node are known anyway, but its daemon does not write them there",
  }),
  multusTimeout: duration('1s', '10m', { default: '60s', description: 'longest wait for an answer of Multus' }),
  criTimeout: duration('1s', '1m', {
    default: '10s',
    description: 'longest wait for an answer of the container runtime',
  }),
  apiTimeout,
  shutdownTimeout,
  listen,
  logLevel,
};

export type AgentSettings = Settings<typeof agentFields>;
