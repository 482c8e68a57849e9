// What virt-operator would put into the API server for virt-controller, and virt-handler onto the nodes; as plain data.
import { launcherImage } from './images.ts';
import { inNode } from './layout.ts';

export const kubevirtNamespace = 'kubevirt';
/** The identity of virt-controller: the common name of its certificate. */
export const controllerUser = 'kubevirt-controller';
export const metricsPort = 8182;

/** Files of virt-controller under a node's /etc/cluster. */
export const controllerFiles = {
  kubeconfig: 'virt-controller.kubeconfig',
  certificate: 'virt-controller.crt',
  key: 'virt-controller.key',
} as const;

/** The export controller watches this folder, and takes the whole program down where there is none; it may be empty. */
const exportAuthority = '/etc/virt-controller/exportca';

const inConfig = (file: string): string => `${inNode.config}/${file}`;

export const virtControllerCommand = (componentKey: string, node: string): readonly string[] => [
  ...['sh', '-c', `mkdir -p ${exportAuthority} && exec "$@"`, 'sh'],
  'env',
  `POD_NAMESPACE=${kubevirtNamespace}`,
  `NODE_NAME=${node}`,
  `${inNode.components}/${componentKey}/virt-controller`,
  `--kubeconfig=${inConfig(controllerFiles.kubeconfig)}`,
  `--prom-cert-file=${inConfig(controllerFiles.certificate)}`,
  `--prom-key-file=${inConfig(controllerFiles.key)}`,
  `--launcher-image=${launcherImage}`,
  '--listen=127.0.0.1',
  `--port=${metricsPort}`,
  '-v=3',
];

/** Everything but the definitions. */
export const installation: object = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: kubevirtNamespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: controllerUser },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: controllerUser }],
    },
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'KubeVirt',
      metadata: { name: 'kubevirt', namespace: kubevirtNamespace },
      spec: {
        configuration: {
          // No node here has /dev/kvm.
          developerConfiguration: { useEmulation: true },
        },
      },
    },
  ],
};

/** What virt-handler tells of a node that can run virtual machines. */
export const nodeLabels: Readonly<Record<string, string>> = {
  'kubevirt.io/schedulable': 'true',
  'machine-type.node.kubevirt.io/q35': 'true',
};

/** What its device plugins would offer; the nodes' kubelets count no disk, but launcher pods ask for some. */
export const nodeResources: Readonly<Record<string, string>> = {
  'devices.kubevirt.io/kvm': '1000',
  'devices.kubevirt.io/tun': '1000',
  'devices.kubevirt.io/vhost-net': '1000',
  'ephemeral-storage': '100Gi',
};
