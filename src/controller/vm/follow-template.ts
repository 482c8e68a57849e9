// Brings a running machine's spec to what its template says, and cleans both of what is unplugged for good.
import { planTemplateCleanup, planVmiSpec, type Refusal } from '../../vm/plan-vmi-spec.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';
import { instanceListEdits, templateListEdits } from './list-edits.ts';
import type { VmDeps } from './ports.ts';

export interface FollowedTemplate {
  readonly hasWritten: boolean;
  /** What the template asks for in vain. */
  readonly refusals: readonly Refusal[];
}

export const followTemplate = async (
  { write }: Pick<VmDeps, 'write'>,
  machine: VirtualMachine,
  instance: RunningMachine | undefined,
  signal: AbortSignal,
): Promise<FollowedTemplate> => {
  const { template } = machine;
  const running = instance && { spec: instance.spec, status: instance.status.entries };
  const plan = running === undefined ? { refusals: [] } : planVmiSpec({ template, ...running });
  if (instance !== undefined && plan.lists !== undefined) {
    await write.instance(instance, instanceListEdits(instance, plan.lists), signal);
  }
  const interfaces = plan.lists?.interfaces ?? running?.spec.interfaces ?? [];
  const cleaned = planTemplateCleanup(template, running && { interfaces, status: running.status });
  if (cleaned !== undefined) await write.machine(machine, templateListEdits(machine, cleaned), signal);
  return { hasWritten: plan.lists !== undefined || cleaned !== undefined, refusals: plan.refusals };
};
