// What a CNI plugin is to this node: three synchronous functions over the kernel and the IPAM store, called with what a
// real one would find in its environment and on stdin.
import type { CniResult } from './cni-result.ts';
import type { IpamStore } from './ipam-store.ts';
import type { JsonObject } from './json-values.ts';
import type { Kernel } from './kernel.ts';

export interface PluginWorld {
  readonly kernel: Kernel;
  readonly ipam: IpamStore;
}

export interface PluginCall {
  readonly containerId: string;
  /** May be empty on DEL. */
  readonly netns: string;
  readonly ifname: string;
  /** CNI_ARGS. */
  readonly args: ReadonlyMap<string, string>;
  /** Stdin: the plugin's config with name, cniVersion, runtimeConfig and prevResult injected. */
  readonly config: JsonObject;
  readonly prevResult: CniResult | undefined;
}

export interface CniPlugin {
  add(call: PluginCall, world: PluginWorld): CniResult;
  /** Idempotent. */
  del(call: PluginCall, world: PluginWorld): void;
  check(call: PluginCall, world: PluginWorld): void;
}

export type PluginRegistry = ReadonlyMap<string, CniPlugin>;

/** The error a plugin prints: its text is the message and the details, as libcni joins them. */
export class CniError extends Error {
  readonly code: number;

  constructor(code: number, message: string, details = '') {
    super(details === '' ? message : `${message}; ${details}`);
    this.code = code;
  }
}

export const pluginNotFound = (type: string): CniError =>
  new CniError(999, type === '' ? 'no plugin name provided' : `failed to find plugin "${type}" in path [/opt/cni/bin]`);
