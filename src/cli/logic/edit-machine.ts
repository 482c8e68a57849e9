// Edits of a virtual machine's interfaces: in its template, which KubeVirt and our gate both carry out, or as a request, which
// our gate HotplugNICs carries out and which alone can be for the running machine only.
import { quote } from '../../model/json.ts';
import {
  INTERFACE_REQUESTS_ANNOTATION,
  type InterfaceRequest,
  parseRequestsText,
  rawRequest,
  withRequest,
} from '../../vm/interface-requests.ts';
import { findNamed } from '../../vm/network-spec.ts';
import { annotationEdits, type Edit } from '../../vm/object-patch.ts';
import { planInterfaceRequests } from '../../vm/plan-interface-requests.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import { isFinal, type RunningMachine } from '../../vm/vmi-view.ts';
import { CliError } from '../cli-error.ts';

export type Way = 'template' | 'request';

export interface MachineEdit {
  readonly vm: VirtualMachine;
  /** Undefined while it does not run. */
  readonly running: RunningMachine | undefined;
  readonly request: InterfaceRequest;
  readonly way: Way;
}

/** What to patch. Throws a CliError that says why it cannot be done. */
export const planMachineEdit = (edit: MachineEdit): readonly Edit[] => {
  checkSpec(edit);
  checkRunning(edit);
  checkName(edit);
  return edit.way === 'request' ? requestEdits(edit) : templateEdits(edit);
};

const subjectOf = ({ vm }: MachineEdit): string => `virtual machine ${vm.key}`;

const checkSpec = (edit: MachineEdit): void => {
  const [problem] = edit.vm.template.problems;
  if (problem === undefined) return;
  throw new CliError(
    `${subjectOf(edit)}: ${problem.message}`,
    `correct its template first: kubectl edit vm ${edit.vm.name} -n ${edit.vm.namespace}`,
  );
};

const checkRunning = (edit: MachineEdit): void => {
  const { running, request, way } = edit;
  if (request.isPersistent) return;
  if (running === undefined || running.isDeleting || isFinal(running)) {
    throw new CliError(`${subjectOf(edit)} does not run`, 'start it, or add --persist to change it for its next start');
  }
  if (way === 'template') {
    throw new CliError(
      'changes of the running machine alone need our gate HotplugNICs; KubeVirt by itself takes lasting ones only',
      'add --persist to change the template, or turn the gate on',
    );
  }
};

const checkName = (edit: MachineEdit): void => {
  const { vm, running, request } = edit;
  const lists = [vm.template, ...(running === undefined ? [] : [running.spec])];
  const present = lists.map(({ interfaces }) => findNamed(interfaces, request.name)).find((each) => each !== undefined);
  if (request.verb === 'remove') {
    if (present !== undefined && !present.isAbsent) return;
    const names = vm.template.interfaces.filter(({ isAbsent }) => !isAbsent).map(({ name }) => name);
    const why = present === undefined ? 'has no interface' : 'is already losing interface';
    throw new CliError(`${subjectOf(edit)} ${why} ${request.name}`, `it has: ${names.join(', ') || 'none'}`);
  }
  if (!/^[A-Za-z0-9_-]+$/.test(request.name)) {
    throw new CliError(`interface name ${quote(request.name)} may only have letters, digits, "-" and "_"`);
  }
  if (present === undefined) return;
  const network = lists.map(({ networks }) => findNamed(networks, request.name)?.definition).find(Boolean);
  throw new CliError(
    `${subjectOf(edit)} has an interface ${request.name} already, on ${network ?? 'the pod network'}${present.isAbsent ? ', which is being removed' : ''}`,
    present.isAbsent ? 'wait until it is gone, or choose another --iface-name' : 'choose another --iface-name',
  );
};

const requestEdits = (edit: MachineEdit): readonly Edit[] => {
  const { vm, request } = edit;
  const pending = parseRequestsText(vm.requestsText);
  if (!pending.ok) throw new CliError(pending.problem.message);
  const isPending = pending.requests.some((each) => each.ok && each.request.name === request.name);
  if (isPending) {
    throw new CliError(
      `${subjectOf(edit)} has a request for interface ${request.name} that is not done yet`,
      `kubectl dnet events ${vm.name} -n ${vm.namespace} may say why`,
    );
  }
  const after = withRequest(vm.requestsText, request);
  return annotationEdits(vm, [{ key: INTERFACE_REQUESTS_ANNOTATION, before: vm.requestsText, after }]);
};

const templateEdits = (edit: MachineEdit): readonly Edit[] => {
  const { vm, running, request } = edit;
  const { template } = vm;
  if (request.verb === 'add' && template.networks.length === 0 && template.interfaces.length === 0) {
    throw new CliError(
      `the template of ${subjectOf(edit)} lists no networks, so KubeVirt gives it the pod network; naming another one would take that away`,
      `list the pod network first: kubectl edit vm ${vm.name} -n ${vm.namespace}`,
    );
  }
  const plan = planInterfaceRequests({
    requests: [{ ok: true, request, raw: rawRequest(request) }],
    template,
    machine: running && { spec: running.spec, status: running.status.entries },
  });
  const [refusal] = plan.refusals;
  if (refusal !== undefined) throw new CliError(`${subjectOf(edit)}: ${refusal.problem.message}`);
  if (plan.template === undefined) throw new CliError(`${subjectOf(edit)} needs no change`);
  const { networks, interfaces } = plan.template;
  const changes: readonly Edit[] = [
    { path: '/spec/template/spec/networks', before: template.raw.networks, after: networks.map(({ raw }) => raw) },
    {
      path: '/spec/template/spec/domain/devices/interfaces',
      before: template.raw.interfaces,
      after: interfaces.map(({ raw }) => raw),
    },
  ];
  return changes.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
};
