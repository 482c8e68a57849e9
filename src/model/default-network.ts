// The annotation by which a pod asks for another default network than the cluster's. Multus reads it when it sets a sandbox up;
// it can name any NetworkAttachmentDefinition, so who may write it matters as much as for the networks annotation.
import type { NetworkName } from './keys.ts';
import { parseNetworks, type SelectionProblem } from './parse-networks.ts';

export const DEFAULT_NETWORK_ANNOTATION = 'v1.multus-cni.io/default-network';

export type ParsedDefaultNetwork =
  | { readonly ok: true; readonly network: NetworkName | undefined }
  | { readonly ok: false; readonly problems: readonly SelectionProblem[] };

/** `multusNamespace`: where Multus looks for a name without a namespace; never the pod's own. */
export const parseDefaultNetwork = (text: string | undefined, multusNamespace: string): ParsedDefaultNetwork => {
  const parsed = parseNetworks(text, multusNamespace);
  if (!parsed.ok) return parsed;
  if (parsed.selections.length <= 1) return { ok: true, network: parsed.selections[0]?.network };
  const message = `names ${parsed.selections.length} networks; a pod has one default network`;
  return { ok: false, problems: [{ index: undefined, message }] };
};
