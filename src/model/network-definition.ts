import type { NetworkName } from './keys.ts';

/** The part of a NetworkAttachmentDefinition that plugging needs. */
export interface NetworkDefinition {
  readonly network: NetworkName;
  /** CNI config or list as JSON text; empty when the config is a file on the node. */
  readonly config: string;
  /** The device-plugin resource that pods on this network take their devices from. */
  readonly resourceName?: string;
}
