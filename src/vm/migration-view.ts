// From a VirtualMachineInstanceMigration as the API sends it to what the pods of a migration need of it.
import { objectIn, textIn } from '../model/json-fields.ts';
import type { LauncherPod } from './launcher-pod-view.ts';
import { type ObjectHeader, parseHeader } from './object-header.ts';
import { type VmKey, vmKey } from './vm-key.ts';

export interface Migration extends ObjectHeader {
  readonly key: string;
  readonly machine: VmKey;
  readonly isOver: boolean;
}

export const viewMigration = (object: unknown): Migration | undefined => {
  const header = parseHeader(object);
  const machine = textIn(objectIn(object, 'spec'), 'vmiName');
  if (header === undefined || !machine) return undefined;
  const phase = textIn(objectIn(object, 'status'), 'phase');
  const key = `${header.namespace}/${header.name}`;
  return {
    ...header,
    key,
    machine: vmKey(header.namespace, machine),
    isOver: phase === 'Succeeded' || phase === 'Failed',
  };
};

/** The pod that the machine is on its way to, if any: it carries the uid of a migration that is under way. */
export const findTargetPod = (
  pods: readonly LauncherPod[],
  migrations: readonly Migration[],
  current: LauncherPod | undefined,
): LauncherPod | undefined =>
  pods.find(
    (pod) =>
      pod.uid !== current?.uid &&
      !pod.isDeleting &&
      !pod.hasEnded &&
      migrations.some(({ uid, isOver }) => uid === pod.migrationUid && !isOver),
  );
