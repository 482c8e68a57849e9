// `dynamic-networks.io/interfaces` and the pod condition: per interface, whether it is ready, why not, and since when.
import { isDeeperThan, isJsonObject, shorten } from './json.ts';
import { isReadyInSpiteOf, type Reason } from './reasons.ts';

export interface InterfaceState {
  readonly interface: string;
  readonly network: string;
  readonly ready: boolean;
  readonly reason?: Reason;
  readonly message?: string;
}

export interface InterfaceReport extends InterfaceState {
  /** RFC 3339: when it became ready, or not ready for this reason. */
  readonly since: string;
}

export interface ReadyCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** A plugin's whole complaint may be pages long; the annotation is for people. */
const MAX_MESSAGE = 512;

export const stateOf = (
  target: { readonly interface: string | undefined; readonly network: string },
  problem?: { readonly reason: Reason; readonly message: string },
): InterfaceState => ({
  interface: target.interface ?? '',
  network: target.network,
  ready: problem === undefined || isReadyInSpiteOf(problem.reason),
  ...(problem && { reason: problem.reason, message: shorten(problem.message, MAX_MESSAGE) }),
});

export const parseReports = (text: string | undefined): readonly InterfaceReport[] => {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && !isDeeperThan(value) ? value.filter(isReport) : [];
  } catch {
    return []; // It is ours to write: what cannot be read is written anew.
  }
};

const isReport = (value: unknown): value is InterfaceReport =>
  isJsonObject(value) &&
  typeof value['interface'] === 'string' &&
  typeof value['network'] === 'string' &&
  typeof value['ready'] === 'boolean' &&
  typeof value['since'] === 'string';

export const composeReports = (
  states: readonly InterfaceState[],
  previous: readonly InterfaceReport[],
  now: string,
): readonly InterfaceReport[] =>
  states.map((state) => {
    const before = previous.find((report) => report.interface === state.interface && report.network === state.network);
    const isUnchanged = before?.ready === state.ready && before.reason === state.reason;
    return { ...state, since: isUnchanged ? before.since : now };
  });

export const conditionOf = (states: readonly InterfaceState[]): ReadyCondition => {
  const waiting = states.filter((state) => !state.ready);
  const first = waiting[0];
  if (first === undefined) return { status: 'True', reason: 'AllReady', message: '' };
  const others = waiting.length > 1 ? ` (and ${waiting.length - 1} more)` : '';
  const subject = first.interface ? `${first.interface}: ` : '';
  return {
    status: 'False',
    reason: first.reason ?? 'NotReady',
    message: `${subject}${first.message ?? 'not ready'}${others}`,
  };
};
