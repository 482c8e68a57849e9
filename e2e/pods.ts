// Pods of stories, as manifests and as what the API says of them.
import { deviceResource } from './cluster/layout.ts';

export const networksAnnotation = 'k8s.v1.cni.cncf.io/networks';
export const statusAnnotation = 'k8s.v1.cni.cncf.io/network-status';
export const reportsAnnotation = 'dynamic-networks.io/interfaces';
export const readyCondition = 'dynamic-networks.io/NetworksReady';

export const podsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

/** The annotation's two forms: a text is written as it is, a list as JSON. */
export type Networks = string | readonly Element[];

export type Element = {
  readonly name: string;
  readonly namespace?: string;
  readonly interface?: string;
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly 'cni-args'?: object;
  readonly deviceID?: string;
};

export const annotationText = (networks: Networks): string =>
  typeof networks === 'string' ? networks : JSON.stringify(networks);

export type PodOptions = {
  readonly networks?: Networks;
  readonly node?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly graceSeconds?: number;
  /** Needed to change links from inside the pod. */
  readonly isNetAdmin?: boolean;
  readonly command?: readonly string[];
  /** How many devices of the harness' device plugin the container is to have: one per `deviceNetwork`. */
  readonly devices?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Merged into the pod's spec. */
  readonly spec?: object;
};

/** As the first process of its container, `sleep` takes no notice of SIGTERM: the pod uses up its grace. */
export const deafCommand: readonly string[] = ['sleep', 'infinity'];
export const obedientCommand: readonly string[] = ['sh', '-c', 'trap exit TERM; sleep infinity & wait'];

export const podSpec = (image: string, options: PodOptions): object => ({
  ...(options.node !== undefined && { nodeName: options.node }),
  terminationGracePeriodSeconds: options.graceSeconds ?? 1,
  automountServiceAccountToken: false,
  containers: [
    {
      name: 'main',
      image,
      imagePullPolicy: 'IfNotPresent',
      command: options.command ?? deafCommand,
      ...(options.devices !== undefined && { resources: { limits: { [deviceResource]: String(options.devices) } } }),
      env: Object.entries(options.env ?? {}).map(([name, value]) => ({ name, value })),
      ...(options.isNetAdmin && { securityContext: { capabilities: { add: ['NET_ADMIN'] } } }),
    },
  ],
  ...options.spec,
});

export const podMetadata = (options: PodOptions): object => ({
  ...(options.labels !== undefined && { labels: options.labels }),
  ...(options.networks !== undefined && {
    annotations: { [networksAnnotation]: annotationText(options.networks) },
  }),
});

export type Pod = {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly hostNetwork?: boolean };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly state: object }[];
  };
};

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

/** A pod that runs: which one, and where. */
export type PodRef = { readonly name: string; readonly namespace: string; readonly uid: string; readonly node: string };

export type StatusEntry = {
  readonly name: string;
  readonly interface?: string;
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly default?: boolean;
  readonly dns?: object;
  readonly 'device-info'?: { readonly type?: string; readonly pci?: { readonly 'pci-address'?: string } };
};

export type Report = {
  readonly interface: string;
  readonly network: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly message?: string;
};

const listIn = <T>(pod: Pod, annotation: string): readonly T[] => {
  const list: readonly T[] = JSON.parse(pod.metadata.annotations?.[annotation] ?? '[]');
  return list;
};

export const statusOf = (pod: Pod): readonly StatusEntry[] => listIn(pod, statusAnnotation);
export const reportsOf = (pod: Pod): readonly Report[] => listIn(pod, reportsAnnotation);

export const refOf = (pod: Pod): PodRef => {
  const { name, namespace, uid } = pod.metadata;
  return { name, namespace, uid, node: pod.spec.nodeName ?? '' };
};
