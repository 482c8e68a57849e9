// A kind of API object, and where the server has it. Every name goes into the path encoded: none can leave its segment.

export interface Resource {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

export interface ObjectPlace {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: 'status';
}

export const apiVersionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

export const resourcePath = (resource: Resource, place: ObjectPlace = {}): string => {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const { namespace, name, subresource } = place;
  const segments = [
    ...(namespace ? ['namespaces', encodeURIComponent(namespace)] : []),
    resource.plural,
    ...(name ? [encodeURIComponent(name)] : []),
    ...(subresource ? [subresource] : []),
  ];
  return `${root}/${segments.join('/')}`;
};

/** `namespace/name`, or the name alone of what belongs to no namespace: what caches and queues hold. */
export const placeOf = (key: string): { readonly namespace?: string; readonly name: string } => {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

const kubeVirt = { group: 'kubevirt.io', version: 'v1' } as const;

export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' };
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
export const validatingWebhookConfigurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
};
export const mutatingWebhookConfigurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
};
export const statefulSets: Resource = { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet' };
export const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' };
export const networkAttachmentDefinitions: Resource = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  plural: 'network-attachment-definitions',
  kind: 'NetworkAttachmentDefinition',
};
export const ipamClaims: Resource = {
  group: 'k8s.cni.cncf.io',
  version: 'v1alpha1',
  plural: 'ipamclaims',
  kind: 'IPAMClaim',
};
export const virtualMachines: Resource = { ...kubeVirt, plural: 'virtualmachines', kind: 'VirtualMachine' };
export const virtualMachineInstances: Resource = {
  ...kubeVirt,
  plural: 'virtualmachineinstances',
  kind: 'VirtualMachineInstance',
};
export const virtualMachineInstanceMigrations: Resource = {
  ...kubeVirt,
  plural: 'virtualmachineinstancemigrations',
  kind: 'VirtualMachineInstanceMigration',
};
/** The installation of KubeVirt itself, with its configuration. */
export const kubeVirts: Resource = { ...kubeVirt, plural: 'kubevirts', kind: 'KubeVirt' };
export const customResourceDefinitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
};
