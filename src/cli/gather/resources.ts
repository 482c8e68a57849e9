// The resources that commands read, and their paths.

export interface Resource {
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly base: string;
  readonly plural: string;
  readonly kind: string;
}

export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

const core = (plural: string, kind: string): Resource => ({ base: '/api/v1', plural, kind });
const grouped = (group: string, plural: string, kind: string): Resource => ({ base: `/apis/${group}`, plural, kind });

export const PODS = core('pods', 'Pod');
export const NODES = core('nodes', 'Node');
export const NAMESPACES = core('namespaces', 'Namespace');
export const EVENTS = core('events', 'Event');
export const NETWORKS = grouped('k8s.cni.cncf.io/v1', 'network-attachment-definitions', 'NetworkAttachmentDefinition');
export const CLAIMS = grouped('k8s.cni.cncf.io/v1alpha1', 'ipamclaims', 'IPAMClaim');
export const VMS = grouped('kubevirt.io/v1', 'virtualmachines', 'VirtualMachine');
export const VMIS = grouped('kubevirt.io/v1', 'virtualmachineinstances', 'VirtualMachineInstance');
export const DAEMON_SETS = grouped('apps/v1', 'daemonsets', 'DaemonSet');
export const DEPLOYMENTS = grouped('apps/v1', 'deployments', 'Deployment');
export const SERVICE_ACCOUNTS = core('serviceaccounts', 'ServiceAccount');
export const CONFIG_MAPS = core('configmaps', 'ConfigMap');
const admission = (plural: string, kind: string) => grouped('admissionregistration.k8s.io/v1', plural, kind);
export const VALIDATING_WEBHOOKS = admission('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration');
export const MUTATING_WEBHOOKS = admission('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration');
export const ADMISSION_POLICIES = admission('validatingadmissionpolicies', 'ValidatingAdmissionPolicy');
export const ADMISSION_BINDINGS = admission('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding');
const rbac = (plural: string, kind: string) => grouped('rbac.authorization.k8s.io/v1', plural, kind);
export const CLUSTER_ROLES = rbac('clusterroles', 'ClusterRole');
export const CLUSTER_ROLE_BINDINGS = rbac('clusterrolebindings', 'ClusterRoleBinding');
export const WHEREABOUTS_POOLS = grouped('whereabouts.cni.cncf.io/v1alpha1', 'ippools', 'IPPool');

export const collectionPath = ({ base, plural }: Resource, namespace?: string): string =>
  namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}`;

export const objectPath = (resource: Resource, { namespace, name }: ObjectRef): string =>
  `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
