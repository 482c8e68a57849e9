// The supervised processes of a node, as plain data: a name and a command line each, and the files they read.
import { apiPort, dnsIp, inNode, type NodeName, podCidr, podCidrOf, serviceCidr } from './layout.ts';
import { shellQuote } from './shell-quote.ts';

export type ServiceName =
  | 'containerd'
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kube-proxy'
  | 'kubelet';

const config = (file: string): string => `${inNode.config}/${file}`;
const program = (name: string): string => `${inNode.binaries}/${name}`;
const flags = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `--${name}=${value}`);

export const containerdCommand: readonly string[] = ['containerd'];

export const etcdCommand: readonly string[] = [
  'etcd',
  ...flags({
    'data-dir': '/var/lib/etcd',
    'listen-client-urls': 'http://127.0.0.1:2379',
    'advertise-client-urls': 'http://127.0.0.1:2379',
  }),
  // The data need not survive a power cut of the test machine.
  '--unsafe-no-fsync',
];

export const apiServerCommand = (nodeIp: string): readonly string[] => [
  program('kube-apiserver'),
  ...flags({
    'etcd-servers': 'http://127.0.0.1:2379',
    'secure-port': String(apiPort),
    'advertise-address': nodeIp,
    'service-cluster-ip-range': serviceCidr,
    'allow-privileged': 'true',
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'client-ca-file': config('ca.crt'),
    'tls-cert-file': config('apiserver.crt'),
    'tls-private-key-file': config('apiserver.key'),
    'kubelet-certificate-authority': config('ca.crt'),
    'kubelet-client-certificate': config('apiserver-kubelet-client.crt'),
    'kubelet-client-key': config('apiserver-kubelet-client.key'),
    'kubelet-preferred-address-types': 'InternalIP',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': config('service-account.key'),
    'service-account-signing-key-file': config('service-account.key'),
    // The aggregation layer, for API services such as KubeVirt's subresources.
    'requestheader-client-ca-file': config('front-proxy-ca.crt'),
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'proxy-client-cert-file': config('front-proxy-client.crt'),
    'proxy-client-key-file': config('front-proxy-client.key'),
    'audit-policy-file': config('audit-policy.json'),
    'audit-log-path': `${inNode.logs}/${auditLog}`,
  }),
];

/** In the node's log folder: every request that an account of the product made, as the API server saw it. */
export const auditLog = 'audit.log';

/** What was asked for, by whom and with what result; not the objects. Of the product's own accounts only: they are few. */
export const auditPolicy = (): object => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts:dynamic-networks'] }, { level: 'None' }],
});

export const controllerManagerCommand: readonly string[] = [
  program('kube-controller-manager'),
  ...flags({
    kubeconfig: config('controller-manager.kubeconfig'),
    'service-account-private-key-file': config('service-account.key'),
    'root-ca-file': config('ca.crt'),
    'cluster-signing-cert-file': config('ca.crt'),
    'cluster-signing-key-file': config('ca.key'),
    'use-service-account-credentials': 'true',
    'leader-elect': 'false',
  }),
];

export const schedulerCommand: readonly string[] = [
  program('kube-scheduler'),
  ...flags({ kubeconfig: config('scheduler.kubeconfig'), 'leader-elect': 'false' }),
];

export const proxyCommand: readonly string[] = [program('kube-proxy'), ...flags({ config: config('kube-proxy.json') })];

export const kubeletCommand = (node: NodeName, nodeIp: string): readonly string[] => [
  program('kubelet'),
  ...flags({
    config: config('kubelet.json'),
    kubeconfig: config('kubelet.kubeconfig'),
    'hostname-override': node,
    'node-ip': nodeIp,
    v: '2',
  }),
];

export const kubeletConfig = (): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: `unix://${inNode.containerdSocket}`,
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  // The first tolerates what a container may not do: OOM scores, some sysctls, the kernel log.
  featureGates: { KubeletInUserNamespace: true, KubeletCrashLoopBackOffMax: true },
  // Tests kill containers by the dozen: the usual waits of 10 s, 20 s, 40 s, ... before a restart would only be waited for.
  crashLoopBackOff: { maxContainerRestartPeriod: '1s' },
  // Likewise waits of a minute until a pod is looked at without a reason, and of ten seconds until the API is told of devices and
  // addresses that are new. That nothing is new need not be told more often than usual.
  syncFrequency: '10s',
  nodeStatusUpdateFrequency: '2s',
  nodeStatusReportFrequency: '5m',
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: config('ca.crt') },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: config('kubelet-server.crt'),
  tlsPrivateKeyFile: config('kubelet-server.key'),
  maxPods: 250,
  // The disk and the memory are the test machine's: nothing here may evict pods or delete images on their account.
  enforceNodeAllocatable: [],
  localStorageCapacityIsolation: false,
  imageMinimumGCAge: '100h',
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
  resolvConf: '/etc/resolv.conf',
  // Nobody answers there. Without it the kubelet complains of every pod each time it looks at it: an event, and so a write, per edit.
  clusterDNS: [dnsIp],
  clusterDomain: 'cluster.local',
});

export const proxyConfig = (node: NodeName): object => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  clientConnection: { kubeconfig: config('kube-proxy.kubeconfig') },
  mode: 'iptables',
  clusterCIDR: podCidr,
  hostnameOverride: node,
  // Replies between two pods on one bridge would bypass the node's NAT otherwise: not every kernel has br_netfilter.
  iptables: { masqueradeAll: true },
  conntrack: { maxPerCore: 0, min: 0 },
});

/**
 * The pods' default network: a bridge per node with a range of its own. One plugin, not a list: Multus 4.2.3 forgets most
 * fields of a default network's list before it calls DEL, and every deleted pod would keep its address.
 */
export const defaultNetwork = (node: NodeName) => ({
  cniVersion: '1.0.0',
  name: 'default-network',
  type: 'bridge',
  bridge: 'cni0',
  isDefaultGateway: true,
  hairpinMode: true,
  ipam: { type: 'host-local', ranges: [[{ subnet: podCidrOf[node] }]] },
});

/** Run at each boot of a node, before its services: the default network, and routes to the other nodes' pods. */
export const bootScript = (node: NodeName, addresses: Readonly<Record<NodeName, string>>): string => {
  const others = (Object.keys(addresses) as NodeName[]).filter((other) => other !== node);
  const masquerade = `POSTROUTING -s ${podCidr} ! -d ${podCidr} -j MASQUERADE`;
  return [
    'set -eu',
    `cp ${config('default-network.conf')} ${inNode.defaultNetwork}`,
    ...others.map((other) => `ip route replace ${podCidrOf[other]} via ${addresses[other]}`),
    `iptables -w -t nat -C ${masquerade} 2>/dev/null || iptables -w -t nat -A ${masquerade}`,
    '',
  ].join('\n');
};

export const serviceScript = (command: readonly string[]): string => `exec ${command.map(shellQuote).join(' ')}\n`;
