// The kinds that the controller watches beyond those of a bare cluster.
import type { ResourceDefinition } from '../../src/embedded/api/resource-registry.ts';

const crd = { namespaced: true, statusSubresource: false } as const;
const kubeVirt = { group: 'kubevirt.io', version: 'v1', ...crd };

export const clusterResources: ResourceDefinition[] = [
  { ...kubeVirt, plural: 'virtualmachines', kind: 'VirtualMachine' },
  { ...kubeVirt, plural: 'virtualmachineinstances', kind: 'VirtualMachineInstance' },
  { ...kubeVirt, plural: 'virtualmachineinstancemigrations', kind: 'VirtualMachineInstanceMigration' },
  { ...kubeVirt, plural: 'kubevirts', kind: 'KubeVirt' },
  { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', ...crd },
  {
    ...{ group: 'k8s.cni.cncf.io', version: 'v1alpha1', plural: 'ipamclaims', kind: 'IPAMClaim', namespaced: true },
    statusSubresource: true,
  },
];
