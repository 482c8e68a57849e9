// From a StatefulSet and from a pod as the API sends them to what claims by stable pod name need of them.

import * as z from 'zod/mini';
import { isJsonObject } from '../model/json.ts';
import { NETWORKS_ANNOTATION } from '../model/network-selection.ts';
import { NETWORK_STATUS_ANNOTATION, type ParsedStatus, parseNetworkStatus } from '../model/network-status.ts';
import { OPT_IN_LABEL, type PodSet } from './set-claims.ts';

const texts = z._default(z.record(z.string(), z.string()), {});

const metadata = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  deletionTimestamp: z.optional(z.string()),
  labels: texts,
  annotations: texts,
  ownerReferences: z._default(z.array(z.object({ kind: z.string(), name: z.string(), uid: z.string() })), []),
});

const setSchema = z.object({
  metadata,
  spec: z.object({
    replicas: z._default(z.int(), 1),
    ordinals: z.optional(z.object({ start: z._default(z.int(), 0) })),
    template: z.object({
      metadata: z._default(z.object({ labels: texts, annotations: texts }), { labels: {}, annotations: {} }),
    }),
  }),
});

export interface SetView extends PodSet {
  readonly key: string;
  readonly resourceVersion: string;
  /** Its pods want claims. */
  readonly hasOptedIn: boolean;
}

export const viewSet = (object: unknown): SetView | undefined => {
  const parsed = setSchema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata: own, spec } = parsed.data;
  const { labels, annotations } = spec.template.metadata;
  const hasOptedIn = labels[OPT_IN_LABEL] === 'true';
  return {
    key: `${own.namespace}/${own.name}`,
    namespace: own.namespace,
    name: own.name,
    uid: own.uid,
    resourceVersion: own.resourceVersion,
    isDeleting: own.deletionTimestamp !== undefined,
    replicas: hasOptedIn ? Math.max(0, spec.replicas) : 0,
    firstOrdinal: spec.ordinals?.start ?? 0,
    networksText: hasOptedIn ? annotations[NETWORKS_ANNOTATION] : undefined,
    hasOptedIn,
  };
};

export interface SetPodView {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** `namespace/name` of its StatefulSet. */
  readonly set: string | undefined;
  readonly hasEnded: boolean;
  readonly networksText: string | undefined;
  readonly networkStatus: ParsedStatus;
}

const podSchema = z.object({ metadata, status: z.optional(z.unknown()) });

export const viewSetPod = (object: unknown): SetPodView | undefined => {
  const parsed = podSchema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata: own, status } = parsed.data;
  const phase = isJsonObject(status) ? status['phase'] : undefined;
  const owner = own.ownerReferences.find(({ kind }) => kind === 'StatefulSet');
  return {
    key: `${own.namespace}/${own.name}`,
    namespace: own.namespace,
    name: own.name,
    uid: own.uid,
    resourceVersion: own.resourceVersion,
    set: owner && `${own.namespace}/${owner.name}`,
    hasEnded: phase === 'Succeeded' || phase === 'Failed',
    networksText: own.annotations[NETWORKS_ANNOTATION],
    networkStatus: parseNetworkStatus(own.annotations[NETWORK_STATUS_ANNOTATION]),
  };
};
