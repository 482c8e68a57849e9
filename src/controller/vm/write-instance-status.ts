// What a running machine tells of its interfaces: its status, the Ready report, and the pod that it migrates to. One write.
import { INTERFACES_ANNOTATION } from '../../model/pod.ts';
import type { InterfaceStatus } from '../../vm/interface-status.ts';
import type { LauncherPod } from '../../vm/launcher-pod-view.ts';
import { findMigrationTarget, formatMigrationTarget } from '../../vm/migration-target.ts';
import { annotationEdits, type Edit } from '../../vm/object-patch.ts';
import { hasSameStatus, planInterfaceStatus, withReady } from '../../vm/plan-interface-status.ts';
import type { Refusal } from '../../vm/plan-vmi-spec.ts';
import { composeReadyText, newTroubles, planReadyStates, type VmInterfaceState } from '../../vm/ready-report.ts';
import type { SchemaFields } from '../../vm/schema-fields.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import { MIGRATION_TARGET_ANNOTATION, type RunningMachine } from '../../vm/vmi-view.ts';
import type { VmDeps, VmGates } from './ports.ts';
import { aboutInstance, aboutMachine } from './told-problems.ts';
import { reportedBy } from './write-pod-annotations.ts';

export interface InstancePlace {
  readonly instance: RunningMachine;
  readonly machine: VirtualMachine | undefined;
  readonly pod: LauncherPod | undefined;
  readonly target: LauncherPod | undefined;
  readonly refusals: readonly Refusal[];
}

/** `status.interfaces` as it should be; as it is while there is nothing to derive it from. */
export const plannedStatus = ({ instance, pod }: InstancePlace, gates: VmGates): readonly InterfaceStatus[] => {
  const { entries, problem } = instance.status;
  const isTimeFor = instance.phase === 'Running' || (instance.phase === 'Scheduling' && pod?.isReady === true);
  if (!isTimeFor || problem !== undefined || pod === undefined || pod.networkStatus.state === 'unreadable')
    return entries;
  return planInterfaceStatus({
    networks: instance.spec.networks,
    status: entries,
    reported: reportedBy(pod),
    policy: {
      followsPrimaryName: gates.podInterfaceName,
      // Without a report nothing is known, and what is not known must not take an interface away.
      reportsSecondaries: gates.hotplug && pod.networkStatus.state === 'read',
    },
  });
};

export const writeInstanceStatus = async (
  { gates, write, recordEvent, now }: Pick<VmDeps, 'gates' | 'write' | 'recordEvent' | 'now'>,
  place: InstancePlace,
  planned: readonly InterfaceStatus[],
  fields: SchemaFields,
  signal: AbortSignal,
): Promise<void> => {
  const { instance, machine, pod } = place;
  const states = gates.hotplug ? readyStates(place, planned) : [];
  const after = fields.interfaceReady ? withReady(planned, states) : planned;
  const isSame = instance.status.problem !== undefined || hasSameStatus(instance.status.entries, after);
  const target = gates.podInterfaceName ? findMigrationTarget(place.target) : undefined;
  const edits: readonly Edit[] = [
    ...(isSame
      ? []
      : [{ path: '/status/interfaces', before: instance.status.raw ?? undefined, after: after.map(({ raw }) => raw) }]),
    ...(fields.targetPrimaryName && target !== undefined ? targetFieldEdits(instance, target) : []),
    ...annotationEdits(instance, [
      {
        key: INTERFACES_ANNOTATION,
        before: instance.interfacesText,
        after:
          gates.hotplug && (states.length > 0 || instance.interfacesText !== undefined)
            ? composeReadyText(states, instance.interfacesText, now().toISOString())
            : instance.interfacesText,
      },
      {
        key: MIGRATION_TARGET_ANNOTATION,
        before: instance.migrationTargetText,
        after: target === undefined ? instance.migrationTargetText : formatMigrationTarget(target),
      },
    ]),
  ];
  if (edits.length === 0) return;
  await write.instance(instance, edits, signal);
  for (const { name, reason = '', message = '' } of newTroubles(states, instance.interfacesText)) {
    const isOfTemplate = machine !== undefined && place.refusals.some((refusal) => refusal.interface === name);
    const subject = isOfTemplate ? aboutMachine(machine) : aboutInstance(instance);
    recordEvent(subject, { type: 'Warning', reason, message: `${name}: ${message}${pod ? ` (pod ${pod.name})` : ''}` });
  }
};

const readyStates = (
  { instance, pod, refusals }: InstancePlace,
  planned: readonly InterfaceStatus[],
): readonly VmInterfaceState[] =>
  planReadyStates({
    spec: instance.spec,
    status: planned,
    pod: pod && { reported: reportedBy(pod), interfacesText: pod.interfacesText },
    refusals,
  });

/** Only into a migration that tells of this very pod. */
const targetFieldEdits = (
  { migration }: RunningMachine,
  target: { readonly targetPod: string; readonly targetPodPrimaryInterfaceName: string },
): readonly Edit[] => {
  const { targetPod, targetPodPrimaryInterfaceName: after } = target;
  if (migration?.targetPod !== targetPod || migration.targetPrimaryName === after) return [];
  return [{ path: '/status/migrationState/targetPodPrimaryInterfaceName', before: migration.targetPrimaryName, after }];
};
