// Carries out what people asked for on a machine, and takes off what is done.
import { INTERFACE_REQUESTS_ANNOTATION, parseRequests, parseRequestsText } from '../../vm/interface-requests.ts';
import { annotationEdits, type Edit } from '../../vm/object-patch.ts';
import { planInterfaceRequests } from '../../vm/plan-interface-requests.ts';
import type { VmProblem } from '../../vm/vm-problem.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';
import { instanceListEdits, templateListEdits } from './list-edits.ts';
import type { VmDeps } from './ports.ts';
import { aboutMachine } from './told-problems.ts';

export interface ServedRequests {
  readonly hasWritten: boolean;
  /** What keeps the requests from being read, for as long as it does. */
  readonly problems: readonly VmProblem[];
}

/** Requests of the annotation come first: a field of the status is where a schema of the future may have them. */
export const serveRequests = async (
  { write, recordEvent }: Pick<VmDeps, 'write' | 'recordEvent'>,
  machine: VirtualMachine,
  instance: RunningMachine | undefined,
  signal: AbortSignal,
): Promise<ServedRequests> => {
  const asked = parseRequestsText(machine.requestsText);
  if (!asked.ok) return { hasWritten: false, problems: [asked.problem] };
  const inStatus = parseRequests(machine.statusRequests);
  const requests = [...asked.requests, ...inStatus];
  if (requests.length === 0) return { hasWritten: false, problems: [] };

  const plan = planInterfaceRequests({
    requests,
    template: machine.template,
    machine: instance && { spec: instance.spec, status: instance.status.entries },
  });
  if (plan.machine !== undefined && instance !== undefined) {
    await write.instance(instance, instanceListEdits(instance, plan.machine), signal);
  }
  const left = new Set(plan.remaining);
  const leftOf = (all: readonly { readonly raw: unknown }[]) =>
    all.map(({ raw }) => raw).filter((raw) => left.has(raw));
  const edits: readonly Edit[] = [
    ...(plan.template === undefined ? [] : templateListEdits(machine, plan.template)),
    ...annotationEdits(machine, [
      {
        key: INTERFACE_REQUESTS_ANNOTATION,
        before: machine.requestsText,
        after: textOf(machine.requestsText, asked.requests.length, leftOf(asked.requests)),
      },
    ]),
  ];
  if (edits.length > 0) await write.machine(machine, edits, signal);
  const statusLeft = leftOf(inStatus);
  if (statusLeft.length < inStatus.length) {
    const edit = { path: '/status/interfaceRequests', before: machine.statusRequests, after: statusLeft };
    await write.machineStatus(machine, [edit], signal);
  }
  for (const { problem } of plan.refusals) recordEvent(aboutMachine(machine), { type: 'Warning', ...problem });
  const hasDropped = left.size < requests.length;
  return { hasWritten: plan.machine !== undefined || edits.length > 0 || hasDropped, problems: [] };
};

/** An annotation whose requests are all done goes; one of which none is done stays as it was written. */
const textOf = (text: string | undefined, asked: number, left: readonly unknown[]): string | undefined => {
  if (left.length === asked) return text;
  return left.length === 0 ? undefined : JSON.stringify(left);
};
