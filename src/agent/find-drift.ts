// Asks, for each interface that should be there, whether it is. A passing CNI CHECK is a good answer. A failing one is none:
// in many installs CHECK fails for healthy interfaces too (Multus' standard configuration imposes a CNI version without it,
// some IPAM plugins do not know it, and `bridge` compares MAC addresses that change as other pods come and go). So before
// anything is repaired, Multus is asked whether the interface's name is free in the pod, which it looks at before it runs any
// plugin: only an interface that is not there is replaced.
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
    try {
      const record = target.origin === 'hotplug' ? target.record : await findDetachConfig(context, target, sandbox);
      if (await isBroken(context, pod, record)) broken.add(record.interface);
    } catch (error) {
      // Multus is down, or nobody knows any more how the interface was made: the next look may tell more.
      context.log.debug({ iface: target.interface, err: error }, 'drift cannot be told');
    }
  }
  return broken;
};

const isBroken = async (context: ReconcileContext, pod: Pod, record: AttachmentRecord): Promise<boolean> =>
  !(await passesCheck(context, pod, record)) && (await isNameFree(context, pod, record));

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
