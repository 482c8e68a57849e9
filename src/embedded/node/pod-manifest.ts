// A pod of the embedded cluster from the few things a test or the demo wants to say about it.
import type { NewKubeObject, ObjectMeta } from '../api/object-store.ts';
import type { JsonObject } from './json-values.ts';
import { networksAnnotation } from './network-status.ts';

export interface PodOptions {
  readonly name: string;
  /** `default` if absent; made if it does not exist. */
  readonly namespace?: string;
  /** The networks annotation: its text, or elements to be written as JSON. */
  readonly networks?: string | readonly JsonObject[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly hostNetwork?: boolean;
  /** Condition types. */
  readonly readinessGates?: readonly string[];
  /** Names; one container `app` if absent. */
  readonly containers?: readonly string[];
  /** Device resources that the first container asks for. */
  readonly resources?: Readonly<Record<string, number>>;
  /** The first node if absent; a name that no kubelet has leaves the pod Pending. */
  readonly nodeName?: string;
  /** False: no scheduler will touch it, it stays Pending without a node. */
  readonly schedule?: boolean;
  /** The static pod's uid, for the mirror pod of a static pod. */
  readonly mirrorOf?: string;
  readonly ownerReferences?: NonNullable<ObjectMeta['ownerReferences']>;
  readonly finalizers?: readonly string[];
  /** False: `createPod` does not wait until it runs. */
  readonly wait?: boolean;
}

const mirrorAnnotations = (uid: string): Record<string, string> => ({
  'kubernetes.io/config.hash': uid,
  'kubernetes.io/config.mirror': uid,
  'kubernetes.io/config.seen': '2026-01-01T00:00:00.000000000Z',
  'kubernetes.io/config.source': 'file',
});

export const networksText = (networks: string | readonly JsonObject[]): string =>
  typeof networks === 'string' ? networks : JSON.stringify(networks);

export const podManifest = (options: PodOptions, defaultNode: string): NewKubeObject => {
  const { name, namespace = 'default', networks, resources, readinessGates, ownerReferences, finalizers } = options;
  const annotations = {
    ...options.annotations,
    ...(networks !== undefined && { [networksAnnotation]: networksText(networks) }),
    ...(options.mirrorOf !== undefined && mirrorAnnotations(options.mirrorOf)),
  };
  const limits = resources && Object.fromEntries(Object.entries(resources).map(([key, count]) => [key, String(count)]));
  const containers = (options.containers ?? ['app']).map((container, index) => ({
    name: container,
    image: 'registry.example/busybox:1',
    ...(limits && index === 0 && { resources: { limits, requests: limits } }),
  }));
  const isScheduled = options.schedule ?? true;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(options.labels && { labels: { ...options.labels } }),
      ...(ownerReferences && { ownerReferences }),
      ...(finalizers && { finalizers: [...finalizers] }),
    },
    spec: {
      containers,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      ...(isScheduled ? { nodeName: options.nodeName ?? defaultNode } : { schedulerName: 'nobody' }),
      ...(options.hostNetwork && { hostNetwork: true }),
      ...(readinessGates && { readinessGates: readinessGates.map((conditionType) => ({ conditionType })) }),
    },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  };
};
