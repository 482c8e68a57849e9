// CNI DEL for one record, with the config and attributes that ADD was given.
import type { AttachmentRecord } from '../model/attachment-record.ts';
import type { DelegateRequest, PodIdentity } from '../model/delegate-request.ts';
import { type KnownError, toKnownError } from '../model/errors.ts';
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext, Sandbox } from './ports.ts';
import { attemptOf, type StepResult } from './step.ts';
import type { WorkingSet } from './working-set.ts';

export interface DetachStep {
  readonly pod: Pod;
  readonly record: AttachmentRecord;
  readonly sandbox: Sandbox;
  readonly work: WorkingSet;
  /** Interfaces that are plugged anew right after. */
  readonly addedNames: ReadonlySet<string>;
}

export const detachInterface = async (context: ReconcileContext, step: DetachStep): Promise<StepResult> => {
  const { deps, log } = context;
  const { pod, record, sandbox, work, addedNames } = step;
  const { interface: name, network } = record;
  const attempt = attemptOf('detach', pod, record);
  const subject = { verb: 'detach' as const, interface: name, network, isHousekeeping: record.entries.length === 0 };

  const result = await del(context, record, pod, record.containerId === sandbox.id ? record.netns : '');
  if (result.kind === 'failed') {
    const attempts = deps.retries.failed(attempt, result.error);
    log.warn({ iface: name, network, attempts, err: result.error }, 'detaching failed');
    return { ...subject, record, error: result.error };
  }
  log.info({ iface: name, network }, 'interface detached');
  // When a new ADD takes the name over, a plugin that finishes late makes that ADD fail, which is then undone like any other.
  if (result.kind === 'gone' || addedNames.has(name)) {
    deps.retries.succeeded(attempt);
    work.setState(record, 'removed');
    return subject;
  }
  deps.retries.postpone(attempt, result.waitMs, {
    kind: 'delegateUnreachable',
    message: `an answer of Multus about ${name} was lost; it is removed once more when the plugin must have ended`,
  });
  work.setState(record, 'removing');
  return { ...subject, isHousekeeping: true };
};

/** `unsettled`: DEL succeeded, but a plugin whose answer was lost may still be at work, so one more is due later. */
export type DelResult =
  | { readonly kind: 'gone' }
  | { readonly kind: 'unsettled'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly error: KnownError };

export const del = async (
  { deps, signal }: ReconcileContext,
  record: AttachmentRecord,
  identity: PodIdentity,
  netns: string,
): Promise<DelResult> => {
  try {
    await deps.delegate.del({ ...delegateRequest(record, identity), netns }, signal);
  } catch (error) {
    return { kind: 'failed', error: toKnownError(error) };
  }
  const restMs = (record.unsettledUntilMs ?? 0) - deps.now();
  // More than was ever to be waited for means that the wall clock was set back: then nobody can tell, and the DEL must do.
  return restMs > 0 && restMs <= deps.settleMs ? { kind: 'unsettled', waitMs: restMs } : { kind: 'gone' };
};

export const delegateRequest = (record: AttachmentRecord, pod: PodIdentity): DelegateRequest => ({
  pod: { namespace: pod.namespace, name: pod.name, uid: pod.uid },
  containerId: record.containerId,
  netns: record.netns,
  interface: record.interface,
  config: record.config,
  attributes: record.attributes,
});
