// A part of the controller that a gate turns on: what it is given, and what it gives. Each wire-*.ts puts one together.
import type { Registry } from 'prom-client';
import type { ControllerSettings } from '../config/controller-settings.ts';
import type { Log, Reconcile, RecordEvent } from '../controller/ports.ts';
import type { WorkLoop } from '../controller/work-loop.ts';
import type { ApiClient } from '../kube/api-client.ts';
import type { ObjectWriter } from '../kube/object-writer.ts';
import type { ClusterWatches } from './cluster-watches.ts';

export interface FeatureContext {
  readonly settings: ControllerSettings;
  /** For reading; whatever only a leader may write goes through `writer`. */
  readonly client: ApiClient;
  readonly writer: ObjectWriter;
  /** Asked for here, a kind is watched; never asked for, it is not. */
  readonly watched: ClusterWatches;
  readonly recordEvent: RecordEvent;
  readonly registry: Registry;
  readonly log: Log;
  /** A reconciler with its queue; it runs while this replica leads. */
  readonly makeLoop: (name: string, work: { reconcile: Reconcile; keys: () => Iterable<string> }) => WorkLoop;
}

/** Serves on every replica, leading or not: the webhook, for one. */
export interface Service {
  readonly name: string;
  /** Throws with the reason when it is not well. */
  readonly probe: () => void;
  stop(): Promise<void>;
}

export interface Feature {
  readonly loops: readonly WorkLoop[];
  /** Started when every watch has been read once. */
  readonly startServices?: () => Promise<readonly Service[]>;
}
