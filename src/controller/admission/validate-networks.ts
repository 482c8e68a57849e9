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
import { KnownError } from '../../model/errors.ts';
import { quote } from '../../model/json.ts';
import { type NetworkName, splitName } from '../../model/keys.ts';
import { isolationProblem, type MultusRules } from '../../model/multus-rules.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import { parseNetworks, type SelectionProblem } from '../../model/parse-networks.ts';
import type { NetworkAccess } from './ports.ts';

/** `warn` says as a warning what `enforce` would refuse; `off` says nothing. */
export type AdmissionMode = 'off' | 'warn' | 'enforce';

export interface ValidateNetworksDeps {
  readonly mode: AdmissionMode;
  readonly access: NetworkAccess;
  readonly isolation: Pick<MultusRules, 'isNamespaceIsolated' | 'globalNamespaces'>;
  readonly multusNamespace: string;
}

/** Each added network costs a question to the API server: one edit must not cost thousands. */
export const MAX_ADDED_NETWORKS = 64;
/** More than this nobody reads in an error message. */
const MAX_NAMED = 3;

export const makeValidateNetworks =
  (deps: ValidateNetworksDeps) =>
  async (request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionDecision> => {
    if (deps.mode === 'off') return admitted;
    const refusal = await findRefusal(deps, request, signal);
    if (refusal === undefined) return admitted;
    return deps.mode === 'enforce' ? { refusal } : { warnings: [`dynamic-networks: ${refusal.message}`] };
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

  const verdicts = await Promise.all(added.map((network) => ask(deps.access, user, network, signal)));
  const denied = verdicts.flatMap((verdict) => verdict.denied ?? []);
  if (denied.length > 0) return { reason: 'Forbidden', message: named(denied) };
  const unknown = verdicts.flatMap((verdict) => verdict.unknown ?? []);
  if (unknown.length > 0) return { reason: 'ServiceUnavailable', message: named(unknown), retryAfterSeconds: 1 };
  return undefined;
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

const ask = async (
  access: NetworkAccess,
  user: AdmissionRequest['user'],
  network: NetworkName,
  signal: AbortSignal,
): Promise<{ readonly denied?: string; readonly unknown?: string }> => {
  const subject = `user ${quote(user.username)} may not use network ${network}`;
  try {
    const { isAllowed, detail } = await access.mayUse(user, network, signal);
    if (isAllowed) return {};
    const { namespace, name } = splitName(network) ?? { namespace: '', name: '' };
    const needs = `verb "use" on network-attachment-definitions.k8s.cni.cncf.io "${name}" in namespace "${namespace}" is needed`;
    return { denied: `${subject}: ${needs}${detail ? ` (${detail})` : ''}` };
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return { unknown: `whether ${subject.replace(' may not ', ' may ')} cannot be found out now: ${error.message}` };
  }
};

const invalid = (messages: readonly string[]): Refusal => ({ reason: 'Invalid', message: named(messages) });

const named = (messages: readonly string[]): string => {
  const more = messages.length > MAX_NAMED ? ` (and ${messages.length - MAX_NAMED} more)` : '';
  return `${messages.slice(0, MAX_NAMED).join('; ')}${more}`;
};
