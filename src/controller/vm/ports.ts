// What the reconciler of virtual machines needs of the world.
import type { BindingPlugins } from '../../vm/binding-plugins.ts';
import type { LauncherPod } from '../../vm/launcher-pod-view.ts';
import type { Migration } from '../../vm/migration-view.ts';
import type { Edit } from '../../vm/object-patch.ts';
import type { SchemaFields } from '../../vm/schema-fields.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';
import type { RecordEvent } from '../ports.ts';

/** What the gates let us do. */
export interface VmGates {
  readonly hotplug: boolean;
  readonly podInterfaceName: boolean;
  readonly deviceMap: boolean;
  /** Which NetworkAttachmentDefinition the node's own network is; undefined: machines do not get it. */
  readonly nodeNetwork: string | undefined;
}

/** Writes apply only to the state that the given object shows; the answer is taken into the caches before they resolve. */
export interface VmWrites {
  machine(machine: VirtualMachine, edits: readonly Edit[], signal: AbortSignal): Promise<void>;
  machineStatus(machine: VirtualMachine, edits: readonly Edit[], signal: AbortSignal): Promise<void>;
  instance(instance: RunningMachine, edits: readonly Edit[], signal: AbortSignal): Promise<void>;
  pod(pod: LauncherPod, edits: readonly Edit[], signal: AbortSignal): Promise<void>;
}

export interface VmDeps {
  readonly gates: VmGates;
  readonly machines: { find(key: string): VirtualMachine | undefined };
  readonly instances: {
    find(key: string): RunningMachine | undefined;
    /** Asks the server itself, and takes the answer into the cache. */
    refresh(key: string, signal: AbortSignal): Promise<RunningMachine | undefined>;
  };
  readonly podsOf: (key: string) => readonly LauncherPod[];
  readonly migrationsOf: (key: string) => readonly Migration[];
  readonly plugins: () => BindingPlugins;
  readonly fields: (signal: AbortSignal) => Promise<SchemaFields>;
  readonly write: VmWrites;
  readonly recordEvent: RecordEvent;
  readonly now: () => Date;
}
