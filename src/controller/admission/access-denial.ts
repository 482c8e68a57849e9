// Whether a user may use networks, and what the mode makes of it when they may not.
import { type AdmissionDecision, type AdmissionRequest, admitted, type Refusal } from '../../model/admission.ts';
import { KnownError } from '../../model/errors.ts';
import { quote } from '../../model/json.ts';
import { type NetworkName, splitName } from '../../model/keys.ts';
import type { NetworkAccess } from './ports.ts';

/** `warn` says as a warning what `enforce` would refuse; `off` says nothing. */
export type AdmissionMode = 'off' | 'warn' | 'enforce';

export const decisionOf = (mode: AdmissionMode, refusal: Refusal | undefined): AdmissionDecision => {
  if (refusal === undefined || mode === 'off') return admitted;
  return mode === 'enforce' ? { refusal } : { warnings: [`dynamic-networks: ${refusal.message}`] };
};

/** Asks for all of them at once; what is denied counts before what cannot be found out. */
export const findDenial = async (
  access: NetworkAccess,
  user: AdmissionRequest['user'],
  networks: readonly NetworkName[],
  signal: AbortSignal,
): Promise<Refusal | undefined> => {
  const verdicts = await Promise.all(networks.map((network) => ask(access, user, network, signal)));
  const denied = verdicts.flatMap((verdict) => verdict.denied ?? []);
  if (denied.length > 0) return { reason: 'Forbidden', message: named(denied) };
  const unknown = verdicts.flatMap((verdict) => verdict.unknown ?? []);
  if (unknown.length > 0) return { reason: 'ServiceUnavailable', message: named(unknown), retryAfterSeconds: 1 };
  return undefined;
};

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

/** More than this nobody reads in an error message. */
const MAX_NAMED = 3;

export const named = (messages: readonly string[]): string => {
  const more = messages.length > MAX_NAMED ? ` (and ${messages.length - MAX_NAMED} more)` : '';
  return `${messages.slice(0, MAX_NAMED).join('; ')}${more}`;
};
