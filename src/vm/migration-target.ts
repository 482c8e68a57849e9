// `dynamic-networks.io/migration-target` of a running machine: the pod that it migrates to and what the primary interface is
// called there, which may differ from node to node. It stays after the migration, as KubeVirt's own migrationState does.
import { goJson } from '../model/json.ts';
import { primaryNameIn } from './interface-names.ts';
import type { LauncherPod } from './launcher-pod-view.ts';

export interface MigrationTarget {
  readonly targetPod: string;
  readonly targetPodPrimaryInterfaceName: string;
}

/** Undefined until the target's network-status says it. */
export const findMigrationTarget = (target: LauncherPod | undefined): MigrationTarget | undefined => {
  if (target?.networkStatus.state !== 'read') return undefined;
  return { targetPod: target.name, targetPodPrimaryInterfaceName: primaryNameIn(target.networkStatus.entries) };
};

export const formatMigrationTarget = (target: MigrationTarget): string => goJson(target);
