// What the page shows, as it travels from the local server to the browser.
import type { InterfaceStatus } from '../logic/pod-networks.ts';

export interface TopologyPod {
  /** `namespace/name` */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** The virtual machine that runs in it. */
  readonly vm?: string;
  readonly phase: string;
  readonly ready?: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly interfaces: readonly InterfaceStatus[];
}

export interface TopologyNetwork {
  /** `namespace/name` */
  readonly key: string;
  readonly type?: string;
  readonly ipam?: string;
  readonly subnets: readonly string[];
  readonly resourceName?: string;
  readonly problem?: string;
}

export interface TopologyNode {
  readonly key: string;
  readonly ready: boolean;
}

/** A virtual machine, whether it runs or not. */
export interface TopologyVm {
  /** `namespace/name` */
  readonly key: string;
  readonly state: string;
}

/** Each part by its key; `null` in a change means that it is gone. */
export interface TopologyParts<T = never> {
  readonly pods: Readonly<Record<string, TopologyPod | T>>;
  readonly networks: Readonly<Record<string, TopologyNetwork | T>>;
  readonly nodes: Readonly<Record<string, TopologyNode | T>>;
  readonly vms: Readonly<Record<string, TopologyVm | T>>;
}

export type TopologyMessage =
  | {
      readonly type: 'snapshot';
      readonly cluster: string;
      /** The namespace that is shown; undefined for all. */
      readonly namespace?: string;
      readonly parts: TopologyParts;
    }
  | { readonly type: 'change'; readonly parts: TopologyParts<null> }
  | {
      readonly type: 'health';
      /** What is not connected to the API server at the moment, with the reason. Empty: all is live. */
      readonly problems: readonly string[];
    };

export interface TimelineEntry {
  readonly time?: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly source: string;
}
