// Everything a node reads from /etc/cluster: identities, configurations, service scripts. Written on this machine; the node
// sees the folder through a mount.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueClient, issueServer, type KeyPair, makeAuthority, makeSigningKey } from './certificates.ts';
import { makeKubeconfig } from './kubeconfig.ts';
import { apiServerUrl, apiServiceIp, type NodeName } from './layout.ts';
import {
  apiServerCommand,
  auditPolicy,
  bootScript,
  controllerManagerCommand,
  defaultNetwork,
  etcdCommand,
  kubeletCommand,
  kubeletConfig,
  proxyCommand,
  proxyConfig,
  schedulerCommand,
  serviceScript,
} from './services.ts';

type Files = Readonly<Record<string, string>>;
export type Addresses = Readonly<Record<NodeName, string>>;

export type Authorities = { readonly cluster: KeyPair; readonly frontProxy: KeyPair };

export const makeAuthorities = async (): Promise<Authorities> => {
  const [cluster, frontProxy] = await Promise.all([
    makeAuthority('dynamic-networks-ca'),
    makeAuthority('front-proxy-ca'),
  ]);
  return { cluster, frontProxy };
};

const pairFiles = (name: string, pair: KeyPair): Files => ({ [`${name}.crt`]: pair.cert, [`${name}.key`]: pair.key });
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

export const kubeconfigFor = async (
  authorities: Pick<Authorities, 'cluster'>,
  server: string,
  user: string,
  organization?: string,
): Promise<string> => {
  const subject = { commonName: user, ...(organization === undefined ? {} : { organization }) };
  const client = await issueClient(authorities.cluster, subject);
  return makeKubeconfig({ server, authority: authorities.cluster.cert, client, user });
};

export const adminKubeconfig = (authorities: Authorities, addresses: Addresses): Promise<string> =>
  kubeconfigFor(authorities, apiServerUrl(addresses['control-plane']), 'cluster-admin', 'system:masters');

const commonFiles = async (authorities: Authorities, node: NodeName, addresses: Addresses): Promise<Files> => {
  const server = apiServerUrl(addresses['control-plane']);
  const ip = addresses[node];
  const [kubelet, proxy, kubeletServer] = await Promise.all([
    kubeconfigFor(authorities, server, `system:node:${node}`, 'system:nodes'),
    kubeconfigFor(authorities, server, 'system:kube-proxy'),
    issueServer(authorities.cluster, { commonName: node }, { dns: [node], ips: [ip] }),
  ]);
  return {
    'ca.crt': authorities.cluster.cert,
    'kubelet.kubeconfig': kubelet,
    'kube-proxy.kubeconfig': proxy,
    ...pairFiles('kubelet-server', kubeletServer),
    'kubelet.json': json(kubeletConfig()),
    'kube-proxy.json': json(proxyConfig(node)),
    'default-network.conf': json(defaultNetwork(node)),
    'boot.sh': bootScript(node, addresses),
    'services/kubelet': serviceScript(kubeletCommand(node, ip)),
    'services/kube-proxy': serviceScript(proxyCommand),
  };
};

const controlPlaneFiles = async (authorities: Authorities, addresses: Addresses): Promise<Files> => {
  const ip = addresses['control-plane'];
  const server = apiServerUrl(ip);
  const names = {
    dns: [
      'localhost',
      'control-plane',
      ...['', '.default', '.default.svc', '.default.svc.cluster.local'].map((end) => `kubernetes${end}`),
    ],
    ips: ['127.0.0.1', apiServiceIp, ip],
  };
  const [apiServer, kubeletClient, frontProxyClient, controllerManager, scheduler] = await Promise.all([
    issueServer(authorities.cluster, { commonName: 'kube-apiserver' }, names),
    issueClient(authorities.cluster, { commonName: 'apiserver-kubelet-client', organization: 'system:masters' }),
    issueClient(authorities.frontProxy, { commonName: 'front-proxy-client' }),
    kubeconfigFor(authorities, server, 'system:kube-controller-manager'),
    kubeconfigFor(authorities, server, 'system:kube-scheduler'),
  ]);
  return {
    'ca.key': authorities.cluster.key,
    'front-proxy-ca.crt': authorities.frontProxy.cert,
    'service-account.key': makeSigningKey(),
    'audit-policy.json': json(auditPolicy()),
    ...pairFiles('apiserver', apiServer),
    ...pairFiles('apiserver-kubelet-client', kubeletClient),
    ...pairFiles('front-proxy-client', frontProxyClient),
    'controller-manager.kubeconfig': controllerManager,
    'scheduler.kubeconfig': scheduler,
    'services/etcd': serviceScript(etcdCommand),
    'services/kube-apiserver': serviceScript(apiServerCommand(ip)),
    'services/kube-controller-manager': serviceScript(controllerManagerCommand),
    'services/kube-scheduler': serviceScript(schedulerCommand),
  };
};

export const writeNodeFiles = async (options: {
  readonly dir: string;
  readonly node: NodeName;
  readonly authorities: Authorities;
  readonly addresses: Addresses;
}): Promise<void> => {
  const { dir, node, authorities, addresses } = options;
  const files: Files = {
    ...(await commonFiles(authorities, node, addresses)),
    ...(node === 'control-plane' ? await controlPlaneFiles(authorities, addresses) : {}),
  };
  await mkdir(join(dir, 'services'), { recursive: true });
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(dir, name), text, { mode: 0o600 })));
};
