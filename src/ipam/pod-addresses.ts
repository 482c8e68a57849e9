// What a pod's annotations tell of its addresses: those that it was promised (`ips` of the networks annotation) and those that
// it has (network-status). Either way nobody else may have them while it lives.
import { isJsonObject } from '../model/json.ts';
import { findNetworkName, type NetworkName } from '../model/keys.ts';
import type { ParsedStatus } from '../model/network-status.ts';
import { parseNetworks } from '../model/parse-networks.ts';

export interface PodAddresses {
  readonly nad: NetworkName;
  /** Undefined for an element that leaves the name to Multus. */
  readonly interface: string | undefined;
  readonly ips: readonly string[];
}

export const readPodAddresses = (pod: {
  readonly namespace: string;
  readonly networksText: string | undefined;
  readonly networkStatus: ParsedStatus;
}): readonly PodAddresses[] => {
  const networks = parseNetworks(pod.networksText, pod.namespace);
  const status = pod.networkStatus;
  const promised = networks.ok ? networks.selections : [];
  const had = status.state === 'read' ? status.entries.filter((entry) => entry.default !== true) : [];
  return [
    ...had.flatMap(({ name, interface: iface, ips }) => {
      const nad = findNetworkName(name);
      return nad === undefined ? [] : [{ nad, interface: iface, ips: ips ?? [] }];
    }),
    ...promised.map(({ network, interface: iface, attributes }) => ({
      nad: network,
      interface: iface,
      ips: attributes.ips ?? [],
    })),
  ];
};

/** Names of claims that the networks annotation refers to. */
export const readClaimReferences = (networksText: string | undefined): ReadonlySet<string> => {
  if (networksText === undefined || !networksText.includes('ipam-claim-reference')) return new Set();
  try {
    const elements: unknown = JSON.parse(networksText);
    const references = (Array.isArray(elements) ? elements : []).map((element) =>
      isJsonObject(element) ? element['ipam-claim-reference'] : undefined,
    );
    return new Set(references.filter((reference) => typeof reference === 'string'));
  } catch {
    return new Set(); // an annotation that nobody can read refers to nothing
  }
};
