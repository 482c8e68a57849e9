// What a pod desires: one element of `k8s.v1.cni.cncf.io/networks`, in either of its two forms.
import { canonicalMac } from './address.ts';
import { canonicalJson, type JsonObject } from './json.ts';
import type { NetworkName } from './keys.ts';

export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks';

export interface NetworkSelection {
  /** Position in the annotation: Multus derives the name of an unnamed interface from it. */
  readonly index: number;
  readonly network: NetworkName;
  readonly interface?: string;
  readonly attributes: SelectionAttributes;
}

/** Everything of an element that shapes the attachment beyond its network and name. Empty values are left out. */
export interface SelectionAttributes {
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly cniArgs?: JsonObject;
  readonly infinibandGuid?: string;
  readonly portMappings?: readonly JsonObject[];
  readonly bandwidth?: JsonObject;
  readonly deviceId?: string;
  readonly defaultRoute?: readonly string[];
}

/**
 * Equal for two elements that ask for the same attachment. `ipam-claim-reference` plays no part: KubeVirt rewrites the
 * annotation without it, and that must not replace a healthy interface.
 */
export const requestSignature = (attributes: SelectionAttributes): string =>
  canonicalJson({ ...attributes, mac: attributes.mac && canonicalMac(attributes.mac) });

/** The highest number of bytes that the kernel takes for an interface name (IFNAMSIZ less the closing zero). */
export const MAX_INTERFACE_NAME_BYTES = 15;

/** Why a text cannot be an interface name, or undefined when it can. The rules of the kernel and of the CNI specification. */
export const interfaceNameProblem = (name: string): string | undefined => {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0) return 'must not be empty';
  if (bytes > MAX_INTERFACE_NAME_BYTES)
    return `is ${bytes} bytes long; at most ${MAX_INTERFACE_NAME_BYTES} are allowed`;
  if (name === '.' || name === '..') return 'must not be "." or ".."';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being refused
  if (/[\s/:\u0000-\u001f\u007f]/u.test(name)) return 'must not contain spaces, "/", ":" or control characters';
  return undefined;
};
