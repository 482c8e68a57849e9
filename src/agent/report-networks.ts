// Tells people and programs how a pod's networks are: network-status, Ready report and condition in one write, and only when
// they differ from what the pod shows already; and an event for every change of the world or of a complaint.
import { composeStatus, hasSameEntries } from '../model/compose-status.ts';
import { reasonOf } from '../model/errors.ts';
import {
  composeReports,
  conditionOf,
  type InterfaceReport,
  type InterfaceState,
  parseReports,
  type ReadyCondition,
  stateOf,
} from '../model/interface-report.ts';
import { canonicalJson } from '../model/json.ts';
import type { StatusEntry } from '../model/network-status.ts';
import type { Observed } from '../model/observe-attachments.ts';
import type { SelectionProblem } from '../model/parse-networks.ts';
import type { Plan } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import type { ChangeReason, Reason } from '../model/reasons.ts';
import type { ReconcileContext, StatusChange } from './ports.ts';
import type { StepResult } from './step.ts';

export interface NetworksReport {
  readonly pod: Pod;
  readonly states: readonly InterfaceState[];
  /** What network-status is to say; undefined to leave it as it is. */
  readonly entries?: readonly StatusEntry[];
  /** Overrides the condition that follows from the states. */
  readonly condition?: ReadyCondition;
}

export const writeReport = async ({ deps, signal }: ReconcileContext, report: NetworksReport): Promise<void> => {
  const { pod, states, entries } = report;
  const previous = parseReports(pod.interfacesText);
  const reports = composeReports(states, previous, new Date(deps.now()).toISOString());
  const condition = report.condition ?? conditionOf(states);
  const change: StatusChange = {
    ...(entries && { entries }),
    ...(needsReports(pod, reports, previous) && { reports }),
    ...(needsCondition(pod, condition, states) && { condition }),
  };
  if (Object.keys(change).length > 0) await deps.writeStatus(pod, change, signal);
};

/** A pod that never had secondary networks shows nothing of ours. */
const needsReports = (pod: Pod, reports: readonly InterfaceReport[], previous: readonly InterfaceReport[]): boolean => {
  if (pod.interfacesText === undefined) return reports.length > 0;
  return canonicalJson(reports) !== canonicalJson(previous);
};

const needsCondition = (pod: Pod, condition: ReadyCondition, states: readonly InterfaceState[]): boolean => {
  const present = pod.condition;
  if (present === undefined) return states.length > 0 || condition.status === 'False' || pod.hasReadinessGate;
  return (
    present.status !== condition.status ||
    present.reason !== condition.reason ||
    (present.message ?? '') !== condition.message
  );
};

/** The status that is to be written, or undefined when the pod shows it already. */
export const missingStatus = (
  reported: readonly StatusEntry[],
  attached: readonly Observed[],
  desiredNames: readonly string[],
): readonly StatusEntry[] | undefined => {
  const entries = composeStatus(attached, desiredNames);
  return hasSameEntries(entries, reported) ? undefined : entries;
};

/** Annotation order, then what is there without being asked for, then what could not be removed. */
export const statesOf = (plan: Plan, results: readonly StepResult[]): readonly InterfaceState[] => {
  const wanted: { index: number; state: InterfaceState }[] = [
    ...plan.keep.map(({ target, selection, notice }) => ({
      index: selection?.index ?? Number.MAX_VALUE,
      state: stateOf(target, notice),
    })),
    ...plan.refuse.map((refusal) => ({
      index: refusal.selection.index,
      state: stateOf({ interface: refusal.interface, network: refusal.selection.network }, refusal),
    })),
    ...plan.attach.map(({ interface: name, selection }) => {
      const error = results.find((result) => result.verb === 'attach' && result.interface === name)?.error;
      const problem = error && { reason: reasonOf(error.kind, 'attach'), message: error.message };
      return { index: selection.index, state: stateOf({ interface: name, network: selection.network }, problem) };
    }),
  ];
  const shown = new Set(plan.attach.map((attach) => attach.interface));
  const stuck = results.flatMap((result) => {
    if (result.verb !== 'detach' || !result.error || result.isHousekeeping || shown.has(result.interface)) return [];
    return [stateOf(result, { reason: reasonOf(result.error.kind, 'detach'), message: result.error.message })];
  });
  return [...wanted.toSorted((a, b) => a.index - b.index).map(({ state }) => state), ...stuck];
};

/** Interfaces that exist stay as they are, and stay ready: a typing error must not take a network away. */
export const invalidNetworks = (problems: readonly SelectionProblem[]): ReadyCondition => {
  const more = problems.length > 3 ? ` (and ${problems.length - 3} more)` : '';
  const named = problems.slice(0, 3).map((problem) => problem.message);
  return { status: 'False', reason: 'InvalidNetworks', message: `${named.join('; ')}${more}; nothing was changed` };
};

export interface Announcement {
  readonly pod: Pod;
  readonly plan: Plan;
  readonly results: readonly StepResult[];
  readonly states: readonly InterfaceState[];
  readonly condition: ReadyCondition | undefined;
}

/** One event per kind of change, and one per complaint that the pod does not show yet. */
export const announce = ({ deps }: ReconcileContext, { pod, plan, results, states, condition }: Announcement): void => {
  const happened = results.filter(({ error, isHousekeeping }) => error === undefined && !isHousekeeping);
  const reasonOfAdd = new Map(plan.attach.map((attach) => [attach.interface, addReason(attach, plan)]));
  const said = happened.flatMap((result) => {
    if (result.verb === 'attach') return [{ reason: reasonOfAdd.get(result.interface) ?? 'AddedInterface', result }];
    return reasonOfAdd.has(result.interface) ? [] : [{ reason: 'RemovedInterface' as const, result }];
  });
  for (const reason of ['RemovedInterface', 'AddedInterface', 'ReplacedInterface', 'RepairedInterface'] as const) {
    const steps = said.filter((item) => item.reason === reason);
    if (steps.length === 0) continue;
    deps.events.onPod(pod, { type: 'Normal', reason, message: steps.map(({ result }) => describe(result)).join('; ') });
  }
  complain(deps, pod, states);
  if (
    condition !== undefined &&
    (pod.condition?.reason !== condition.reason || pod.condition.message !== condition.message)
  ) {
    warn(deps, pod, 'InvalidNetworks', condition.message);
  }
};

const addReason = ({ interface: name }: Plan['attach'][number], plan: Plan): ChangeReason => {
  const cause = plan.detach.find(({ target }) => target.interface === name)?.cause;
  if (cause === 'broken') return 'RepairedInterface';
  return cause === undefined ? 'AddedInterface' : 'ReplacedInterface';
};

const describe = ({ verb, interface: name, network, record }: StepResult): string => {
  const addresses = record?.entries.flatMap((entry) => entry.ips ?? []) ?? [];
  if (verb === 'detach') return `${name} from ${network}`;
  return `${name} on ${network}${addresses.length > 0 ? ` with ${addresses.join(', ')}` : ''}`;
};

const complain = (deps: ReconcileContext['deps'], pod: Pod, states: readonly InterfaceState[]): void => {
  const previous = parseReports(pod.interfacesText);
  for (const { interface: name, network, reason, message } of states) {
    if (reason === undefined || message === undefined) continue;
    const before = previous.find((report) => report.interface === name && report.network === network);
    if (before?.reason !== reason || before.message !== message) warn(deps, pod, reason, message);
  }
};

export const warn = (deps: ReconcileContext['deps'], pod: Pod, reason: Reason, message: string): void =>
  deps.events.onPod(pod, { type: 'Warning', reason, message });
