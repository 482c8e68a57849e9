// Asks, for each interface that should be there, whether it is. CNI CHECK is the question where it can be answered: many
// installs cannot (CNI versions before 0.4.0, which Multus' standard configuration imposes; IPAM plugins without CHECK), and
// then it fails for healthy interfaces too. So a failing CHECK counts only if CHECK has passed for the same config before;
// otherwise Multus is asked whether the interface name is free in the pod, which it checks before it runs any plugin.
import type { AttachmentRecord } from '../model/attachment-record.ts';
import { configForCheck } from '../model/cni-config.ts';
import { DelegateError } from '../model/errors.ts';
import type { Keep } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import { delegateRequest } from './detach-interface.ts';
import { findDetachConfig } from './find-detach-config.ts';
import type { ReconcileContext } from './ports.ts';

/** Returns the names of interfaces that are surely not as they should be; doubt counts as health. */
export const findDrift = async (
  context: ReconcileContext,
  pod: Pod,
  kept: readonly Keep[],
): Promise<ReadonlySet<string>> => {
  const { deps, signal } = context;
  const sandbox = await deps.sandboxes.get({ uid: pod.runtimeUid, mark: pod.sandboxMark }, signal);
  const broken = new Set<string>();
  for (const { target, selection } of kept) {
    if (selection === undefined) continue;
    const record = target.origin === 'hotplug' ? target.record : await findDetachConfig(context, target, sandbox);
    if (await isBroken(context, pod, record)) broken.add(record.interface);
  }
  return broken;
};

const isBroken = async (context: ReconcileContext, pod: Pod, record: AttachmentRecord): Promise<boolean> => {
  const { drift } = context.deps;
  if (await passesCheck(context, pod, record)) {
    drift.passed(record.config);
    return false;
  }
  if (drift.hasPassed(record.config)) return !(await passesCheck(context, pod, record));
  return await isNameFree(context, pod, record);
};

const passesCheck = async (
  { deps, signal }: ReconcileContext,
  pod: Pod,
  record: AttachmentRecord,
): Promise<boolean> => {
  try {
    await deps.delegate.check({ ...delegateRequest(record, pod), config: configForCheck(record.config) }, signal);
    return true;
  } catch (error) {
    if (error instanceof DelegateError && error.fate === 'answered') return false;
    throw error;
  }
};

/**
 * `loopback` is part of every CNI installation and only brings `lo` up, which it is. Its ADD under the interface's name is
 * refused while that interface exists, and succeeds, without any effect, when it does not.
 */
const PROBE_CONFIG = JSON.stringify({ cniVersion: '0.3.1', name: 'dynamic-networks-probe', type: 'loopback' });

const isNameFree = async ({ deps, signal }: ReconcileContext, pod: Pod, record: AttachmentRecord): Promise<boolean> => {
  try {
    await deps.delegate.add({ ...delegateRequest(record, pod), config: PROBE_CONFIG, attributes: {} }, signal);
    return true;
  } catch (error) {
    if (error instanceof DelegateError && error.fate === 'answered') return false;
    throw error;
  }
};
