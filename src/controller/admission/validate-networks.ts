// Who may plug what: decides on an edit of the annotations by which a pod asks for networks, at its creation and later.
// Only what the edit adds is checked, so that a pod which was legal once can still be labelled, and unplugged, by everybody.
import {
  type AdmissionDecision,
  type AdmissionRequest,
  type AdmittedObject,
  admitted,
  type Refusal,
} from '../../model/admission.ts';
import { DEFAULT_NETWORK_ANNOTATION, parseDefaultNetwork } from '../../model/default-network.ts';
import type { NetworkName } from '../../model/keys.ts';
import { isolationProblem, type MultusRules } from '../../model/multus-rules.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import { parseNetworks, type SelectionProblem } from '../../model/parse-networks.ts';
import { type AdmissionMode, decisionOf, findDenial, named } from './access-denial.ts';
import type { NetworkAccess } from './ports.ts';

export interface ValidateNetworksDeps {
  readonly mode: AdmissionMode;
  readonly access: NetworkAccess;
  readonly isolation: Pick<MultusRules, 'isNamespaceIsolated' | 'globalNamespaces'>;
  readonly multusNamespace: string;
}

/** Each added network costs a question to the API server: one edit must not cost thousands. */
export const MAX_ADDED_NETWORKS = 64;

export const makeValidateNetworks =
  (deps: ValidateNetworksDeps) =>
  async (request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionDecision> => {
    if (deps.mode === 'off') return admitted;
    return decisionOf(deps.mode, await findRefusal(deps, request, signal));
  };

const findRefusal = async (
  deps: ValidateNetworksDeps,
  { namespace, user, object, oldObject }: AdmissionRequest,
  signal: AbortSignal,
): Promise<Refusal | undefined> => {
  const asked = readAsked(object, namespace, deps.multusNamespace);
  const before = oldObject && readAsked(oldObject, namespace, deps.multusNamespace);
  // What was malformed before and was not touched is not this edit's doing.
  const malformed = asked.problems.filter(({ annotation }) => isTouched(annotation, object, oldObject));
  if (malformed.length > 0) return invalid(malformed.map(({ message }) => message));

  const known = new Set([...(before?.networks ?? []), ...(before?.defaultNetworks ?? [])]);
  const isAdded = (network: NetworkName) => !known.has(network);
  const selected = asked.networks.filter(isAdded);
  const added = [...new Set([...selected, ...asked.defaultNetworks.filter(isAdded)])];
  if (added.length > MAX_ADDED_NETWORKS) {
    return invalid([
      `${NETWORKS_ANNOTATION}: ${added.length} networks are added; at most ${MAX_ADDED_NETWORKS} may be`,
    ]);
  }

  const rules = { ...deps.isolation, defaultNetworks: new Set<string>() };
  // Multus isolates no default network: those of the cluster are in its own namespace.
  const isolated = [...new Set(selected)].flatMap((network) => isolationProblem(rules, namespace, network) ?? []);
  if (isolated.length > 0) return { reason: 'Forbidden', message: named(isolated) };

  return await findDenial(deps.access, user, added, signal);
};

interface AskedNetworks {
  readonly networks: readonly NetworkName[];
  readonly defaultNetworks: readonly NetworkName[];
  readonly problems: readonly { readonly annotation: string; readonly message: string }[];
}

const readAsked = ({ annotations }: AdmittedObject, namespace: string, multusNamespace: string): AskedNetworks => {
  const selected = parseNetworks(annotations[NETWORKS_ANNOTATION], namespace);
  const byDefault = parseDefaultNetwork(annotations[DEFAULT_NETWORK_ANNOTATION], multusNamespace);
  const problemsOf = (annotation: string, problems: readonly SelectionProblem[]) =>
    problems.map(({ message }) => ({ annotation, message: `${annotation}: ${message}` }));
  return {
    networks: selected.ok ? selected.selections.map(({ network }) => network) : [],
    defaultNetworks: byDefault.ok && byDefault.network !== undefined ? [byDefault.network] : [],
    problems: [
      ...(selected.ok ? [] : problemsOf(NETWORKS_ANNOTATION, selected.problems)),
      ...(byDefault.ok ? [] : problemsOf(DEFAULT_NETWORK_ANNOTATION, byDefault.problems)),
    ],
  };
};

const isTouched = (annotation: string, object: AdmittedObject, oldObject: AdmittedObject | undefined): boolean =>
  object.annotations[annotation] !== oldObject?.annotations[annotation];

const invalid = (messages: readonly string[]): Refusal => ({ reason: 'Invalid', message: named(messages) });
