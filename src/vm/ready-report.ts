// `dynamic-networks.io/interfaces` of a running machine: per network, whether the machine has it, why not, and since when. The
// machine's status has no field for that in KubeVirt's schema.

import { parseReports } from '../model/interface-report.ts';
import { isDeeperThan, isJsonObject } from '../model/json.ts';
import type { StatusEntry } from '../model/network-status.ts';
import { schemeOf, secondaryNames } from './interface-names.ts';
import type { InterfaceStatus } from './interface-status.ts';
import { findNamed, type NetworkSpec } from './network-spec.ts';
import type { Refusal } from './plan-vmi-spec.ts';

export interface VmInterfaceState {
  /** Of the network and interface in the machine's spec. */
  readonly name: string;
  /** Its name in the pod. */
  readonly interface: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly message?: string;
}

export interface VmInterfaceReport extends VmInterfaceState {
  /** RFC 3339: when it became ready, or not ready for this reason. */
  readonly since: string;
}

export interface ReadyInput {
  readonly spec: NetworkSpec;
  readonly status: readonly InterfaceStatus[];
  readonly pod: { readonly reported: readonly StatusEntry[]; readonly interfacesText: string | undefined } | undefined;
  /** What the template asks for in vain. */
  readonly refusals: readonly Refusal[];
}

/** Secondary networks in the order of the spec; then what the template asks for and the machine cannot have. */
export const planReadyStates = ({ spec, status, pod, refusals }: ReadyInput): readonly VmInterfaceState[] => {
  const reported = pod?.reported ?? [];
  const present = new Set(reported.map((entry) => entry.interface));
  const told = parseReports(pod?.interfacesText);
  const states = [...secondaryNames(spec.networks, schemeOf(reported))].flatMap(([name, iface]): VmInterfaceState[] => {
    const inSpec = findNamed(spec.interfaces, name);
    if (inSpec === undefined) return [];
    const isPresent = present.has(iface);
    if (inSpec.isAbsent && !isPresent) return [];
    const report = told.find((candidate) => candidate.interface === iface);
    const refusal = refusals.find((candidate) => candidate.interface === name)?.problem;
    const ready = isPresent && !inSpec.isAbsent && report?.ready !== false;
    const said = report?.reason && { reason: report.reason, message: report.message ?? '' };
    const isWaitingForMigration = inSpec.binding === 'sriov' && findNamed(status, name) === undefined;
    const why = refusal ?? (said || (ready ? undefined : assumedReason(inSpec.isAbsent, isWaitingForMigration)));
    return [{ name, interface: iface, ready, ...(why && { reason: why.reason, message: why.message }) }];
  });
  const missing = refusals
    .filter((refusal) => findNamed(spec.interfaces, refusal.interface) === undefined)
    .map(({ interface: name, problem: { reason, message } }) => ({
      name,
      interface: '',
      ready: false,
      reason,
      message,
    }));
  return [...states, ...missing];
};

const assumedReason = (
  isAbsent: boolean,
  isWaitingForMigration: boolean,
): { readonly reason: string; readonly message: string } => {
  if (isAbsent) return { reason: 'UnpluggingInterface', message: 'the pod still has the interface' };
  if (isWaitingForMigration) {
    return { reason: 'MigrationRequired', message: 'an SR-IOV interface comes with a pod: live-migrate the machine' };
  }
  return { reason: 'PluggingInterface', message: 'the pod does not have the interface yet' };
};

/** The text to write; times are kept for what did not change. */
export const composeReadyText = (
  states: readonly VmInterfaceState[],
  previousText: string | undefined,
  now: string,
): string => {
  const previous = parseReadyReports(previousText);
  return JSON.stringify(
    states.map((state) => {
      const before = findNamed(previous, state.name);
      const isUnchanged =
        before?.ready === state.ready && before.reason === state.reason && before.interface === state.interface;
      return { ...state, since: isUnchanged ? before.since : now };
    }),
  );
};

/** It is ours to write: what cannot be read is written anew. */
export const parseReadyReports = (text: string | undefined): readonly VmInterfaceReport[] => {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) && !isDeeperThan(value) ? value.filter(isReport) : [];
  } catch {
    return [];
  }
};

const isReport = (value: unknown): value is VmInterfaceReport =>
  isJsonObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['interface'] === 'string' &&
  typeof value['ready'] === 'boolean' &&
  typeof value['since'] === 'string';

/** Reports that say something else than before and that people should hear of. */
export const newTroubles = (
  states: readonly VmInterfaceState[],
  previousText: string | undefined,
): readonly VmInterfaceState[] => {
  const previous = parseReadyReports(previousText);
  return states.filter((state) => {
    const isWayThere = state.reason === 'PluggingInterface' || state.reason === 'UnpluggingInterface';
    return state.reason !== undefined && !isWayThere && findNamed(previous, state.name)?.reason !== state.reason;
  });
};
