// One virtual machine: requests → template → running machine → launcher pod → status. Each look does what is next; a write
// changes an object, and that change brings the machine back, so that every decision is made on what is there by then.
import { done, type Outcome, retry, waitForChange } from '../../model/outcome.ts';
import { findCollision, schemeOf } from '../../vm/interface-names.ts';
import { findCurrentPod, type LauncherPod } from '../../vm/launcher-pod-view.ts';
import { findTargetPod } from '../../vm/migration-view.ts';
import type { Refusal } from '../../vm/plan-vmi-spec.ts';
import { problem, type VmProblem } from '../../vm/vm-problem.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import { isFinal, type RunningMachine } from '../../vm/vmi-view.ts';
import type { Reconcile } from '../ports.ts';
import { followTemplate } from './follow-template.ts';
import type { VmDeps } from './ports.ts';
import { serveRequests } from './serve-requests.ts';
import { aboutInstance, aboutMachine, ToldProblems } from './told-problems.ts';
import { type InstancePlace, plannedStatus, writeInstanceStatus } from './write-instance-status.ts';
import { reportedBy, writePodAnnotations } from './write-pod-annotations.ts';

export const makeReconcileMachine = (deps: VmDeps): Reconcile => {
  const told = new ToldProblems(deps.recordEvent);
  return async (key, log, signal): Promise<Outcome> => {
    const instance = findLive(deps.instances.find(key));
    const machine = findOwner(deps.machines.find(key), instance);
    const refusals: Refusal[] = [];
    if (deps.gates.hotplug && machine !== undefined && !machine.isDeleting && isSound(instance)) {
      const spec = await serveSpec(deps, machine, instance, signal);
      told.tell(aboutMachine(machine), spec.problems);
      if (spec.hasWritten) {
        log.info({ machine: key }, 'spec changed');
        return done; // comes back with the change
      }
      refusals.push(...spec.refusals);
    }
    if (instance === undefined) return done;

    const pods = deps.podsOf(key);
    const pod = findCurrentPod(instance, pods);
    const target = findTargetPod(pods, deps.migrationsOf(key), pod);
    const wrong = problemsOf(instance, pod);
    if (wrong.length === 0)
      wrong.push(...(await serveInstance(deps, { instance, machine, pod, target, refusals }, signal)));
    told.tell(aboutInstance(instance), wrong);
    if (wrong.length === 0) return done;
    const message = wrong.map((one) => one.message).join('; ');
    // A right that is given changes no object that is watched.
    return wrong.some(({ reason }) => reason === 'NetworkForbidden') ? retry(message) : waitForChange(message);
  };
};

/** A machine that is going, or has ended, is left as it is. */
const findLive = (instance: RunningMachine | undefined): RunningMachine | undefined =>
  instance === undefined || instance.isDeleting || isFinal(instance) ? undefined : instance;

/** A running machine of the same name that another object owns is not this one's. */
const findOwner = (
  machine: VirtualMachine | undefined,
  instance: RunningMachine | undefined,
): VirtualMachine | undefined =>
  instance === undefined || instance.owner === undefined || instance.owner.uid === machine?.uid ? machine : undefined;

const isSound = (instance: RunningMachine | undefined): boolean =>
  instance === undefined || instance.spec.problems.length === 0;

const serveSpec = async (
  deps: VmDeps,
  machine: VirtualMachine,
  instance: RunningMachine | undefined,
  signal: AbortSignal,
): Promise<{
  readonly hasWritten: boolean;
  readonly problems: readonly VmProblem[];
  readonly refusals: readonly Refusal[];
}> => {
  if (machine.template.problems.length > 0) {
    return { hasWritten: false, problems: machine.template.problems, refusals: [] };
  }
  if (instance === undefined && asksSomething(machine) && findLive(await deps.instances.refresh(machine.key, signal))) {
    return { hasWritten: true, problems: [], refusals: [] };
  }
  const served = await serveRequests(deps, machine, instance, signal);
  if (served.hasWritten) return { ...served, refusals: [] };
  const followed = await followTemplate(deps, machine, instance, signal);
  return { ...followed, problems: served.problems };
};

/** Of a machine that does not run these are refused or carried out at once, so it must be certain that it does not. */
const asksSomething = (machine: VirtualMachine): boolean =>
  machine.requestsText !== undefined ||
  machine.statusRequests.length > 0 ||
  machine.template.interfaces.some(({ isAbsent }) => isAbsent);

/** Why nothing can be derived for the running machine. */
const problemsOf = (instance: RunningMachine, pod: LauncherPod | undefined): VmProblem[] => {
  const status = pod?.networkStatus;
  const collision = schemeOf(reportedBy(pod)) === 'hashed' ? findCollision(instance.spec.networks) : undefined;
  return [
    ...instance.spec.problems,
    ...(collision ? [collision] : []),
    ...(instance.status.problem ? [instance.status.problem] : []),
    ...(status?.state === 'unreadable'
      ? [problem('StatusUnreadable', `pod ${pod?.name}: ${status.message}; restore it, or restart the machine`)]
      : []),
  ];
};

const serveInstance = async (
  deps: VmDeps,
  place: InstancePlace,
  signal: AbortSignal,
): Promise<readonly VmProblem[]> => {
  const { instance, pod, target } = place;
  const status = plannedStatus(place, deps.gates);
  const problems: VmProblem[] = [...missingReport(place)];
  const asked = {
    instance,
    status,
    machineNetworksText: place.machine?.machineNetworksText ?? instance.machineNetworksText,
  };
  if (pod !== undefined) problems.push(...(await writePodAnnotations(deps, { ...asked, pod }, signal)));
  if (target !== undefined && target.networkStatus.state !== 'unreadable') {
    const sourceReported = reportedBy(pod);
    problems.push(...(await writePodAnnotations(deps, { ...asked, pod: target, sourceReported }, signal)));
  }
  const isStarted = instance.phase === 'Running' || (instance.phase === 'Scheduling' && pod?.isReady === true);
  const hasStatus = deps.gates.hotplug || deps.gates.podInterfaceName;
  if (hasStatus && isStarted) await writeInstanceStatus(deps, place, status, await deps.fields(signal), signal);
  return problems;
};

/** Multus reports before a pod runs, so a running pod without a report has lost it; what the machine had told stays. */
const missingReport = ({ instance, pod }: InstancePlace): readonly VmProblem[] => {
  const hasSecondaries = instance.spec.networks.some(({ isSecondary }) => isSecondary);
  if (!pod?.isReady || pod.networkStatus.state !== 'absent' || !hasSecondaries) return [];
  const message = `pod ${pod.name} has no network-status; check that Multus runs on node ${pod.nodeName ?? 'of the pod'}, then restart the machine`;
  return [problem('StatusUnreadable', message)];
};
