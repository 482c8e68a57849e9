// What a machine's interface requests change: its template when they are to outlive a restart, else the running machine alone.
// A request for the template is done with that very write; one for the running machine is done when the machine shows it.
import { quote } from '../model/json.ts';
import type { AddRequest, InterfaceRequest, ParsedRequest, RemoveRequest } from './interface-requests.ts';
import type { InterfaceStatus } from './interface-status.ts';
import { findNamed, type NetworkSpec, type VmInterface, type VmNetwork } from './network-spec.ts';
import { hasOrdinalInterfaces, type NetworkLists, type Refusal, without, withState } from './plan-vmi-spec.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export interface RequestsPlan {
  /** Left out when the template stays as it is. */
  readonly template?: NetworkLists;
  /** Left out when the running machine's spec stays as it is. */
  readonly machine?: NetworkLists;
  /** Requests that are not done yet, as they were written. */
  readonly remaining: readonly unknown[];
  readonly refusals: readonly Refusal[];
}

interface RequestsInput {
  readonly requests: readonly ParsedRequest[];
  readonly template: NetworkSpec;
  /** Undefined while the machine does not run. */
  readonly machine: { readonly spec: NetworkSpec; readonly status: readonly InterfaceStatus[] } | undefined;
}

/** What becomes of one request. */
type Step =
  | { readonly kind: 'done' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'refuse'; readonly problem: VmProblem }
  | { readonly kind: 'template'; readonly lists: NetworkLists }
  | { readonly kind: 'machine'; readonly lists: NetworkLists };

interface Situation {
  readonly template: NetworkLists;
  readonly machine: NetworkLists | undefined;
  readonly isOrdinal: boolean;
}

export const planInterfaceRequests = ({ requests, template, machine }: RequestsInput): RequestsPlan => {
  let situation: Situation = {
    template,
    machine: machine?.spec,
    isOrdinal: machine !== undefined && hasOrdinalInterfaces(machine.spec.networks, machine.status),
  };
  const remaining: unknown[] = [];
  const refusals: Refusal[] = [];
  /** Interfaces with a request that waits: later ones for them wait as well, so that the order is kept. */
  const waiting = new Set<string>();
  for (const parsed of requests) {
    if (!parsed.ok) {
      refusals.push({ interface: '', problem: parsed.problem });
      continue;
    }
    const { request, raw } = parsed;
    const step: Step = waiting.has(request.name) ? { kind: 'wait' } : stepOf(request, situation);
    if (step.kind === 'refuse') refusals.push({ interface: request.name, problem: step.problem });
    if (step.kind === 'template') situation = { ...situation, template: step.lists };
    if (step.kind === 'machine') situation = { ...situation, machine: step.lists };
    if (step.kind === 'wait' || step.kind === 'machine') {
      remaining.push(raw);
      waiting.add(request.name);
    }
  }
  return {
    ...(situation.template !== template && { template: situation.template }),
    ...(situation.machine !== undefined && situation.machine !== machine?.spec && { machine: situation.machine }),
    remaining,
    refusals,
  };
};

const stepOf = (request: InterfaceRequest, situation: Situation): Step => {
  if (!request.isPersistent && situation.machine === undefined) {
    return refuse(request, 'the machine does not run; start it, or ask for a persistent change');
  }
  return request.verb === 'add' ? addStep(request, situation) : removeStep(request, situation);
};

const addStep = (request: AddRequest, { template, machine }: Situation): Step => {
  const lists = request.isPersistent ? template : (machine ?? template);
  const present = findNamed(lists.interfaces, request.name);
  const network = findNamed(lists.networks, request.name);
  if (present === undefined && network === undefined) {
    const isTaken = !request.isPersistent && findNamed(template.interfaces, request.name) !== undefined;
    if (isTaken) return refuse(request, 'the template has an interface of that name; choose another');
    return { kind: request.isPersistent ? 'template' : 'machine', lists: withInterface(lists, request) };
  }
  if (present?.isAbsent) return { kind: 'wait' };
  if (network?.definition === request.definition) return { kind: 'done' };
  return refuse(request, 'an interface of that name is there, on another network; choose another name');
};

const removeStep = (request: RemoveRequest, { template, machine, isOrdinal }: Situation): Step => {
  const inTemplate = findNamed(template.interfaces, request.name);
  const inMachine = machine && findNamed(machine.interfaces, request.name);
  const present = request.isPersistent ? inTemplate : inMachine;
  if (present === undefined || present.isAbsent) return { kind: 'done' };
  const network = findNamed((request.isPersistent ? template : (machine ?? template)).networks, request.name);
  if (present.binding !== 'bridge' || network?.isSecondary === false) {
    return refuse(request, 'only interfaces with a bridge binding on a secondary network can be unplugged');
  }
  if (inMachine !== undefined && isOrdinal) {
    return refuse(
      request,
      "the machine's pod has ordinal interface names, which would shift; restart the machine first",
    );
  }
  if (!request.isPersistent) {
    if (inTemplate !== undefined && !inTemplate.isAbsent) {
      return refuse(request, 'the template would plug it again; ask for a persistent change');
    }
    return machine === undefined ? { kind: 'done' } : { kind: 'machine', lists: absent(machine, request.name) };
  }
  const lists = inMachine === undefined ? without(template, [request]) : absent(template, request.name);
  return { kind: 'template', lists };
};

const absent = (lists: NetworkLists, name: string): NetworkLists => ({
  networks: lists.networks,
  interfaces: lists.interfaces.map((iface) => (iface.name === name ? withState(iface, 'absent') : iface)),
});

const withInterface = (lists: NetworkLists, { name, definition, mac }: AddRequest): NetworkLists => {
  const iface: VmInterface = {
    name,
    binding: 'bridge',
    plugin: undefined,
    isAbsent: false,
    state: '',
    mac,
    raw: { name, bridge: {}, ...(mac !== undefined && { macAddress: mac }) },
  };
  const network: VmNetwork = {
    name,
    definition,
    isSecondary: true,
    isNodeNetwork: false,
    raw: { name, multus: { networkName: definition } },
  };
  return { interfaces: [...lists.interfaces, iface], networks: [...lists.networks, network] };
};

const refuse = (request: InterfaceRequest, why: string): Step => ({
  kind: 'refuse',
  problem: problem(
    'InterfaceRequestRefused',
    `interface ${quote(request.name)} was not ${request.verb === 'add' ? 'added' : 'removed'}: ${why}`,
  ),
});
