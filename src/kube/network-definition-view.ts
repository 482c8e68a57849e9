// From a NetworkAttachmentDefinition as the API sends it to what plugging needs of it.
import * as z from 'zod/mini';
import { type NetworkName, networkName } from '../model/keys.ts';
import type { NetworkDefinition } from '../model/network-definition.ts';

export const NAD_GROUP_PATH = '/apis/k8s.cni.cncf.io/v1';
const RESOURCE_ANNOTATION = 'k8s.v1.cni.cncf.io/resourceName';

const schema = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    resourceVersion: z.string(),
    annotations: z.optional(z.record(z.string(), z.string())),
  }),
  spec: z.optional(z.object({ config: z.optional(z.string()) })),
});

export type VersionedDefinition = NetworkDefinition & { readonly resourceVersion: string };

export const viewNetworkDefinition = (object: unknown): VersionedDefinition | undefined => {
  const parsed = schema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec } = parsed.data;
  const resource = metadata.annotations?.[RESOURCE_ANNOTATION];
  return {
    network: networkName(metadata.namespace, metadata.name),
    resourceVersion: metadata.resourceVersion,
    config: spec?.config ?? '',
    ...(resource ? { resourceName: resource } : {}),
  };
};

export const definitionPath = (network: NetworkName): string => {
  const [namespace = '', name = ''] = network.split('/').map(encodeURIComponent);
  return `${NAD_GROUP_PATH}/namespaces/${namespace}/network-attachment-definitions/${name}`;
};
