// Carries out an edit of a virtual machine's interfaces, by the way that this cluster has for it.
import { ApiError } from '../../kube/api-error.ts';
import type { InterfaceRequest } from '../../vm/interface-requests.ts';
import { UsageError } from '../cli-error.ts';
import { planMachineEdit, type Way } from '../logic/edit-machine.ts';
import type { Session } from '../session.ts';
import { editObject } from './edit-object.ts';
import { findInstallation, hasGate } from './installation.ts';
import { findVmi, getVm } from './machines.ts';
import { VMS } from './resources.ts';

export const applyMachineEdit = async (
  session: Session,
  name: string,
  request: InterfaceRequest,
  via: string,
): Promise<Way> => {
  const ref = { namespace: session.namespace, name };
  const way = await wayOf(session, via);
  await editObject(session, {
    resource: VMS,
    ref,
    read: async () => ({ ...(await getVm(session, ref)), running: await findVmi(session, ref) }),
    decide: ({ running, ...vm }) => ({ edits: planMachineEdit({ vm, running, request, way }) }),
  });
  return way;
};

/** Requests where our gate is there to carry them out; the template, which KubeVirt itself follows, everywhere else. */
const wayOf = async (session: Session, via: string): Promise<Way> => {
  if (via === 'template' || via === 'request') return via;
  if (via !== 'auto') throw new UsageError(`--via "${via}" must be auto, template or request`);
  try {
    return hasGate(await findInstallation(session), 'HotplugNICs') ? 'request' : 'template';
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 403) return 'template';
    throw error;
  }
};
