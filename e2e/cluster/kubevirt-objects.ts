// What virt-operator would put into the API server for virt-controller, and virt-handler onto the nodes; as plain data.
import type { KeyPair } from './certificates.ts';
import { launcherImage } from './images.ts';

export const kubevirtNamespace = 'kubevirt';
export const controllerName = 'virt-controller';
export const controllerSelector = `kubevirt.io=${controllerName}`;
/** On the node's own address: not one that something of a node is known to have. */
export const controllerPort = 8182;
/** The identity of virt-controller, as in a real installation. */
const account = 'kubevirt-controller';
const certificates = 'kubevirt-controller-certs';

const inNamespace = { namespace: kubevirtNamespace };

/** What virt-controller acts in and as. */
export const accountObjects: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: kubevirtNamespace } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, ...inNamespace } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: account },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: account, ...inNamespace }],
  },
];

/** It goes with the definition of its kind. */
export const installation: object = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', ...inNamespace },
  spec: {
    configuration: {
      // No node here has /dev/kvm.
      developerConfiguration: { useEmulation: true },
    },
  },
};

type Controller = {
  readonly certificate: KeyPair;
  readonly image: string;
  readonly version: string;
  readonly node: string;
};

export const controllerObjects = ({ certificate, image, version, node }: Controller): readonly object[] => {
  const labels = { 'kubevirt.io': controllerName };
  const certificateDir = '/etc/virt-controller/certificates';
  const container = {
    name: controllerName,
    image,
    imagePullPolicy: 'Never',
    args: [
      `--prom-cert-file=${certificateDir}/tls.crt`,
      `--prom-key-file=${certificateDir}/tls.key`,
      `--launcher-image=${launcherImage}`,
      `--port=${controllerPort}`,
      '-v=3',
    ],
    env: [
      { name: 'POD_NAMESPACE', value: kubevirtNamespace },
      { name: 'NODE_NAME', value: node },
    ],
    volumeMounts: [
      { name: 'certificates', mountPath: certificateDir, readOnly: true },
      // The export controller watches this folder, and takes the whole program down where there is none; it may be empty.
      { name: 'export-authority', mountPath: '/etc/virt-controller/exportca' },
    ],
  };
  const pod = {
    serviceAccountName: account,
    // Pods' networks are what stories break and set up anew. And its name in the lease is the node's: one that comes back need
    // not wait for its own lease to run out.
    hostNetwork: true,
    // The only one, on a node that no story drains or removes.
    nodeName: node,
    tolerations: [{ operator: 'Exists' }],
    terminationGracePeriodSeconds: 1,
    containers: [container],
    volumes: [
      { name: 'certificates', secret: { secretName: certificates } },
      { name: 'export-authority', emptyDir: {} },
    ],
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: certificates, ...inNamespace },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': certificate.cert, 'tls.key': certificate.key },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: controllerName, ...inNamespace, labels: { ...labels, version } },
      spec: {
        replicas: 0,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod },
      },
    },
  ];
};

/** What virt-handler tells of a node that can run virtual machines. */
export const nodeLabels: Readonly<Record<string, string>> = {
  'kubevirt.io/schedulable': 'true',
  'machine-type.node.kubevirt.io/q35': 'true',
};

/** What its device plugins would offer. */
export const deviceResources: Readonly<Record<string, string>> = {
  'devices.kubevirt.io/kvm': '1000',
  'devices.kubevirt.io/tun': '1000',
  'devices.kubevirt.io/vhost-net': '1000',
};

/** The kubelets of the harness count no disk, but launcher pods ask for some. */
export const nodeResources: Readonly<Record<string, string>> = { ...deviceResources, 'ephemeral-storage': '100Gi' };
