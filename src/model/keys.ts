// Identities as values: two equal keys name the same thing, and only the functions here make one.

/** `namespace/name` of a pod: what the work queue holds. */
export type PodKey = string & { readonly brand: 'PodKey' };
/** `namespace/name` of a NetworkAttachmentDefinition: what a status entry is called after. */
export type NetworkName = string & { readonly brand: 'NetworkName' };

export const podKey = (namespace: string, name: string): PodKey => `${namespace}/${name}` as PodKey;

export const networkName = (namespace: string, name: string): NetworkName => `${namespace}/${name}` as NetworkName;

/** The parts of a `namespace/name` text, or undefined when it has another shape (a cluster default network, for one). */
export const splitName = (text: string): { namespace: string; name: string } | undefined => {
  const [namespace, name, ...rest] = text.split('/');
  if (!namespace || !name || rest.length > 0) return undefined;
  return { namespace, name };
};

export const findNetworkName = (text: string): NetworkName | undefined => {
  const parts = splitName(text);
  return parts && networkName(parts.namespace, parts.name);
};
