// Everything that the controller can watch. Nothing is watched until a feature calls for it.
import { viewClaim } from '../ipam/claim.ts';
import { OPT_IN_SELECTOR } from '../ipam/set-claims.ts';
import { viewSet, viewSetPod } from '../ipam/set-view.ts';
import { viewNetworkDefinition } from '../kube/network-definition-view.ts';
import {
  ipamClaims,
  kubeVirts,
  networkAttachmentDefinitions,
  pods,
  statefulSets,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  virtualMachines,
} from '../kube/resource.ts';
import type { Watches } from '../kube/watches.ts';
import { objectIn, textIn } from '../model/json-fields.ts';
import { viewBindingPlugins } from '../vm/binding-plugins.ts';
import { LAUNCHER_SELECTOR, viewLauncherPod } from '../vm/launcher-pod-view.ts';
import { viewMigration } from '../vm/migration-view.ts';
import { parseHeader } from '../vm/object-header.ts';
import { viewVm } from '../vm/vm-view.ts';
import { viewVmi } from '../vm/vmi-view.ts';

export const makeClusterWatches = (watches: Watches) => ({
  networks: watches.offer({
    resource: networkAttachmentDefinitions,
    view: (object) => {
      const view = viewNetworkDefinition(object);
      return view && { ...view, key: view.network, createdAt: createdAtOf(object) };
    },
  }),
  claims: watches.offer({ resource: ipamClaims, view: viewClaim }),
  statefulSets: watches.offer({ resource: statefulSets, view: viewSet }),
  optedInPods: watches.offer({ resource: pods, labelSelector: OPT_IN_SELECTOR, view: viewSetPod }),
  machines: watches.offer({ resource: virtualMachines, view: viewVm }),
  instances: watches.offer({ resource: virtualMachineInstances, view: viewVmi }),
  migrations: watches.offer({ resource: virtualMachineInstanceMigrations, view: viewMigration }),
  launcherPods: watches.offer({ resource: pods, labelSelector: LAUNCHER_SELECTOR, view: viewLauncherPod }),
  kubeVirts: watches.offer({
    resource: kubeVirts,
    view: (object) => {
      const header = parseHeader(object);
      return header && { ...header, key: `${header.namespace}/${header.name}`, plugins: viewBindingPlugins(object) };
    },
  }),
});

/** Of two networks that contradict each other the older one holds. */
const createdAtOf = (object: unknown): string => textIn(objectIn(object, 'metadata'), 'creationTimestamp') ?? '';

export type ClusterWatches = ReturnType<typeof makeClusterWatches>;
