import { type VirtualMachine, viewVm } from '../../vm/vm-view.ts';
import { type RunningMachine, viewVmi } from '../../vm/vmi-view.ts';
import { CliError } from '../cli-error.ts';
import { findObject, type Reader } from './read-objects.ts';
import { type ObjectRef, VMIS, VMS } from './resources.ts';

export const getVm = async (reader: Reader, ref: ObjectRef): Promise<VirtualMachine> => {
  const object = await findObject(reader, VMS, ref);
  const found = object === undefined ? undefined : viewVm(object);
  if (found !== undefined) return found;
  throw new CliError(
    `virtual machine ${ref.namespace}/${ref.name} does not exist`,
    `kubectl get vm -n ${ref.namespace} lists those that do, if KubeVirt is installed; -n names another namespace`,
  );
};

/** The running machine; undefined while it does not run. */
export const findVmi = async (reader: Reader, ref: ObjectRef): Promise<RunningMachine | undefined> => {
  const object = await findObject(reader, VMIS, ref);
  return object === undefined ? undefined : viewVmi(object);
};
