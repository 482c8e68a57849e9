// Virtual machines as manifests, and what the API says of them: the little that stories look at.
import { createHash } from 'node:crypto';
import type { Condition } from '../pods.ts';

/** A network of a virtual machine, under the name that the machine has for it. */
export type VmNetwork = {
  readonly name: string;
  /** `[namespace/]name` of the NetworkAttachmentDefinition. */
  readonly networkName: string;
  readonly mac?: string;
  readonly binding?: 'bridge' | 'sriov';
};

export type VmOptions = {
  readonly networks?: readonly VmNetwork[];
  /** Unset: the scheduler decides; a machine that is to migrate may not be tied to a node. */
  readonly node?: string;
  /** It is only defined: no instance, and no pod. */
  readonly isHalted?: boolean;
};

export type VmiInterface = {
  readonly name: string;
  readonly state?: string;
  readonly macAddress?: string;
  readonly sriov?: object;
};

export type InterfaceStatus = {
  readonly name?: string;
  readonly podInterfaceName?: string;
  readonly infoSource?: string;
  readonly mac?: string;
};

export type Metadata = {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
};

export type VmiSpec = {
  readonly domain: { readonly devices: { readonly interfaces?: readonly VmiInterface[] } };
  readonly networks?: readonly { readonly name: string; readonly multus?: { readonly networkName: string } }[];
};

export type MigrationState = {
  readonly migrationUid?: string;
  readonly sourceNode?: string;
  readonly sourcePod?: string;
  readonly targetNode?: string;
  readonly targetPod?: string;
  readonly targetNodeAddress?: string;
  readonly completed?: boolean;
  readonly failed?: boolean;
};

export type Vmi = {
  readonly metadata: Metadata;
  readonly spec: VmiSpec;
  readonly status?: {
    readonly phase?: string;
    readonly nodeName?: string;
    readonly interfaces?: readonly InterfaceStatus[];
    readonly conditions?: readonly Condition[];
    readonly selinuxContext?: string;
    readonly migrationState?: MigrationState;
  };
};

export type Vm = {
  readonly metadata: Metadata;
  readonly spec: { readonly template: { readonly spec: VmiSpec } };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly stateChangeRequests?: readonly object[];
  };
};

export type Migration = { readonly metadata: Metadata; readonly status?: { readonly phase?: string } };

/** What KubeVirt calls the interface of a network in the launcher pod. */
export const podInterfaceName = (network: string): string =>
  `pod${createHash('sha256').update(network).digest('hex').slice(0, 11)}`;

export const interfaceOf = ({ name, mac, binding = 'bridge' }: VmNetwork): object => ({
  name,
  [binding]: {},
  ...(mac !== undefined && { macAddress: mac }),
});

export const networkOf = ({ name, networkName }: VmNetwork): object => ({ name, multus: { networkName } });

/** What virt-api would fill in by default is written out: it does not run here. */
export const vmManifest = (name: string, namespace: string, { networks = [], node, isHalted }: VmOptions): object => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace },
  spec: {
    runStrategy: isHalted ? 'Halted' : 'Always',
    template: {
      metadata: { labels: { 'kubevirt.io/vm': name } },
      spec: {
        architecture: 'amd64',
        terminationGracePeriodSeconds: 0,
        ...(node !== undefined && { nodeSelector: { 'kubernetes.io/hostname': node } }),
        domain: {
          machine: { type: 'q35' },
          // So little that forty of them fit on a node with two processors.
          resources: { requests: { memory: '32Mi', cpu: '1m' } },
          devices: {
            // One container less in each launcher pod.
            logSerialConsole: false,
            interfaces: [{ name: 'default', masquerade: {} }, ...networks.map(interfaceOf)],
          },
        },
        networks: [{ name: 'default', pod: {} }, ...networks.map(networkOf)],
      },
    },
  },
});
