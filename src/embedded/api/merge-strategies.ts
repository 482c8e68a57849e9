// How strategic merge patch treats the lists of the kinds served here: by merge key, as a set of primitives, or (when
// not named) as one value that is replaced. Taken from the patchStrategy and patchMergeKey tags of the Go types.

export type ListStrategy = { mergeKey: string } | 'set';

const metadata: Record<string, ListStrategy> = {
  'metadata.finalizers': 'set',
  'metadata.ownerReferences': { mergeKey: 'uid' },
};

// The fields of a container, wherever containers stand; '*' is the list element.
const containerFields: Record<string, ListStrategy> = {
  env: { mergeKey: 'name' },
  ports: { mergeKey: 'containerPort' },
  volumeMounts: { mergeKey: 'mountPath' },
  volumeDevices: { mergeKey: 'devicePath' },
};

const containers = (list: string): Record<string, ListStrategy> => ({
  [list]: { mergeKey: 'name' },
  ...Object.fromEntries(Object.entries(containerFields).map(([field, how]) => [`${list}.*.${field}`, how])),
});

const ofResource: Record<string, Record<string, ListStrategy>> = {
  pods: {
    ...containers('spec.containers'),
    ...containers('spec.initContainers'),
    ...containers('spec.ephemeralContainers'),
    'spec.volumes': { mergeKey: 'name' },
    'spec.imagePullSecrets': { mergeKey: 'name' },
    'spec.hostAliases': { mergeKey: 'ip' },
    'spec.topologySpreadConstraints': { mergeKey: 'topologyKey' },
    'spec.schedulingGates': { mergeKey: 'name' },
    'spec.resourceClaims': { mergeKey: 'name' },
    'status.conditions': { mergeKey: 'type' },
    'status.podIPs': { mergeKey: 'ip' },
    'status.hostIPs': { mergeKey: 'ip' },
    'status.resourceClaimStatuses': { mergeKey: 'name' },
  },
  nodes: {
    'spec.podCIDRs': 'set',
    'status.addresses': { mergeKey: 'type' },
    'status.conditions': { mergeKey: 'type' },
  },
  namespaces: { 'status.conditions': { mergeKey: 'type' } },
  serviceaccounts: { secrets: { mergeKey: 'name' }, imagePullSecrets: { mergeKey: 'name' } },
};

export const mergeStrategiesOf = (resource: string): Record<string, ListStrategy> => ({
  ...metadata,
  ...(Object.hasOwn(ofResource, resource) ? ofResource[resource] : {}),
});
