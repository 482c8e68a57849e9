// What the agent needs of the world, as narrow as it uses it. Adapters fit these by structure; main-agent.ts is where the
// compiler checks that they do.
import type { PodRecord } from '../model/attachment-record.ts';
import type { CniResult } from '../model/cni-result.ts';
import type { CreatedAttachment } from '../model/creation-status.ts';
import type { DelegateRequest, PodIdentity } from '../model/delegate-request.ts';
import type { InterfaceReport, ReadyCondition } from '../model/interface-report.ts';
import type { NetworkName, PodKey } from '../model/keys.ts';
import type { MultusRules } from '../model/multus-rules.ts';
import type { NetworkDefinition } from '../model/network-definition.ts';
import type { StatusEntry } from '../model/network-status.ts';
import type { Pod } from '../model/pod.ts';
import type { ChangeReason, NodeReason, Reason } from '../model/reasons.ts';
import type { DriftSchedule } from './drift-schedule.ts';
import type { RetrySchedule } from './retry-schedule.ts';

export interface Sandbox {
  readonly id: string;
  readonly netns: string;
}

export interface Pods {
  find(key: PodKey): Pod | undefined;
  /** Reads the pod from the API server itself; undefined when it is gone. */
  refresh(key: PodKey, signal: AbortSignal): Promise<Pod | undefined>;
}

export interface Networks {
  find(network: NetworkName): NetworkDefinition | undefined;
  /** As find(), but asks the API server before saying that there is none. */
  fetch(network: NetworkName, signal: AbortSignal): Promise<NetworkDefinition | undefined>;
}

export interface Sandboxes {
  get(pod: { readonly uid: string; readonly mark: string }, signal: AbortSignal): Promise<Sandbox>;
  isReady(sandboxId: string, signal: AbortSignal): Promise<boolean>;
  forget(uid: string): void;
  heldDevices(sandbox: Sandbox, signal: AbortSignal): Promise<ReadonlySet<string>>;
}

export interface Delegate {
  add(request: DelegateRequest, signal: AbortSignal): Promise<CniResult>;
  del(request: DelegateRequest, signal: AbortSignal): Promise<void>;
  check(request: DelegateRequest, signal: AbortSignal): Promise<void>;
}

export interface Ledger {
  find(uid: string): PodRecord | undefined;
  findByKey(key: PodKey): readonly PodRecord[];
  save(record: PodRecord): Promise<void>;
  remove(uid: string): Promise<void>;
}

export interface StatusChange {
  readonly entries?: readonly StatusEntry[];
  readonly reports?: readonly InterfaceReport[];
  readonly condition?: ReadyCondition;
}

export interface NodeConfig {
  rules(): Promise<MultusRules>;
  findConfig(name: string): Promise<string | undefined>;
}

/** What Multus remembers of the making of a sandbox; undefined where it remembers nothing. */
export interface Creation {
  findConfig(containerId: string, interfaceName: string): Promise<string | undefined>;
  findAttachments(containerId: string): Promise<readonly CreatedAttachment[] | undefined>;
}

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: ChangeReason | Reason;
  readonly message: string;
}

export interface Events {
  onPod(pod: Pod, event: PodEvent): void;
  onNode(event: { readonly reason: NodeReason; readonly message: string }): void;
}

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface AgentDeps {
  readonly pods: Pods;
  readonly networks: Networks;
  readonly sandboxes: Sandboxes;
  readonly delegate: Delegate;
  readonly ledger: Ledger;
  /** Writes what changed of a pod's status, guarded by what `pod` was read as, and takes in the answer. */
  readonly writeStatus: (pod: Pod, change: StatusChange, signal: AbortSignal) => Promise<void>;
  readonly events: Events;
  readonly nodeConfig: NodeConfig;
  readonly creation: Creation;
  readonly retries: RetrySchedule;
  readonly drift: DriftSchedule;
  /** The agent's own pod: orphans are released in its name. */
  readonly self: PodIdentity;
  readonly deviceAttachments: 'keep' | 'manage';
  /** How long a plugin may still be at work after its answer was lost. */
  readonly settleMs: number;
  readonly now: () => number;
}

/** What every step of one reconcile carries along. */
export interface ReconcileContext {
  readonly deps: AgentDeps;
  readonly log: Log;
  readonly signal: AbortSignal;
}
