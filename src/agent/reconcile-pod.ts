// The heart of the agent: makes one pod's interfaces what its annotation says, whatever happened before.
// Level-based: it looks at what is, never at what changed, so a missed, merged or repeated event does not matter.
import { KnownError, toKnownError } from '../model/errors.ts';
import type { PodKey } from '../model/keys.ts';
import { parseNetworkStatus } from '../model/network-status.ts';
import { observeAttachments } from '../model/observe-attachments.ts';
import { done, type Outcome, retry, waitForChange } from '../model/outcome.ts';
import { parseNetworks } from '../model/parse-networks.ts';
import { isEmptyPlan, type Plan, planAttachments } from '../model/plan-attachments.ts';
import { planNothing, planRepairs } from '../model/plan-repairs.ts';
import { type Pod, stageOf } from '../model/pod.ts';
import { adoptSandbox } from './adopt-sandbox.ts';
import { applyPlan } from './apply-plan.ts';
import { attachedAfter, desiredNames } from './attached-after.ts';
import { findDrift } from './find-drift.ts';
import { planPolicy } from './plan-policy.ts';
import type { AgentDeps, Log, ReconcileContext } from './ports.ts';
import { refuseHostNetwork, refuseUnreadableStatus } from './refuse-pod.ts';
import { releaseLeftovers, releaseRecord } from './release-record.ts';
import { announce, invalidNetworks, missingStatus, statesOf, writeReport } from './report-networks.ts';
import { restoreStatus } from './restore-status.ts';
import type { StepResult } from './step.ts';
import { WorkingSet } from './working-set.ts';

/** A config file on the node that a network wants is not watched: what waits for one is looked at again after this. */
const RECHECK_MS = 30_000;

export const makeReconcilePod =
  (deps: AgentDeps) =>
  async (key: PodKey, log: Log, signal: AbortSignal): Promise<Outcome> => {
    const context: ReconcileContext = { deps, log, signal };
    const pod = deps.pods.find(key);
    try {
      const orphans = await releaseOrphans(context, key, pod);
      return pod === undefined ? orphans : worse(orphans, await reconcileStage(context, pod));
    } catch (error) {
      if (error instanceof KnownError) return retry(error.message);
      throw error; // a bug: the worker logs it with its stack, and retries
    }
  };

/** Records of pods that had this name and are gone. */
const releaseOrphans = async (context: ReconcileContext, key: PodKey, pod: Pod | undefined): Promise<Outcome> => {
  let outcome: Outcome = done;
  for (const record of context.deps.ledger.findByKey(key)) {
    if (record.uid !== pod?.uid) outcome = worse(outcome, await releaseRecord(context, record));
  }
  return outcome;
};

const reconcileStage = async (context: ReconcileContext, pod: Pod): Promise<Outcome> => {
  const record = context.deps.ledger.find(pod.uid);
  switch (stageOf(pod)) {
    case 'starting':
      return waitForChange('the pod is not running yet');
    case 'stopping':
      return waitForChange(
        'the pod is stopping: nothing is plugged any more, and its interfaces stay until its containers have ended',
      );
    case 'ended':
      return record === undefined ? done : await releaseRecord(context, record);
    case 'running':
      return worse(await reconcileRunning(context, pod), await releaseLeftovers(context, pod.uid));
  }
};

const reconcileRunning = async (context: ReconcileContext, seen: Pod): Promise<Outcome> => {
  const { deps } = context;
  if (seen.isHostNetwork) return await refuseHostNetwork(context, seen);

  const pod = await adoptSandbox(context, seen);
  if (pod === undefined) return done;
  const status = parseNetworkStatus(pod.statusText);
  if (status.state === 'absent') return await restoreStatus(context, pod);
  if (status.state === 'unreadable') return await refuseUnreadableStatus(context, pod, status.message);
  const reported = status.entries;

  const rules = await deps.nodeConfig.rules();
  const work = new WorkingSet(deps.ledger, pod);
  const observed = observeAttachments(reported, work.records, rules.defaultNetworks);
  const desired = parseNetworks(pod.networksText, pod.namespace);
  const plan = desired.ok
    ? await withRepairs(context, pod, planAttachments(desired.selections, observed, planPolicy(deps, pod)))
    : planNothing(observed.filter((target) => target.origin !== 'foreign'));

  const results = await applyPlan(context, { pod, plan, work, rules });
  const states = statesOf(plan, results);
  const entries = missingStatus(reported, attachedAfter(observed, plan, results), desiredNames(plan));
  const condition = desired.ok ? undefined : invalidNetworks(desired.problems);
  announce(context, { pod, plan, results, states, condition });
  const failure = await writeReport(context, {
    pod,
    states,
    ...(entries && { entries }),
    ...(condition && { condition }),
  }).catch(toKnownError);
  if (failure?.kind === 'objectGone') return done;
  if (failure?.kind === 'stateChanged') return await startOver(context, pod);
  if (failure !== undefined) return retry(failure.message);
  if (work.dropRemoved()) await work.save();
  return outcomeOf(context, pod, results);
};

/** Now and then, when there is nothing else to do for the pod, asks whether what should be there is there. */
const withRepairs = async (context: ReconcileContext, pod: Pod, plan: Plan): Promise<Plan> => {
  const { drift } = context.deps;
  if (!drift.isDue(pod.uid) || !isEmptyPlan(plan)) return plan;
  drift.checked(pod.uid);
  const broken = await findDrift(context, pod, plan.keep);
  if (broken.size > 0) context.log.warn({ interfaces: [...broken] }, 'drift found');
  return planRepairs(plan, ({ target }) => broken.has(target.interface));
};

const startOver = async ({ deps, signal }: ReconcileContext, pod: Pod): Promise<Outcome> => {
  await deps.pods.refresh(pod.key, signal);
  return retry('the pod was changed by somebody else');
};

const outcomeOf = ({ deps }: ReconcileContext, pod: Pod, results: readonly StepResult[]): Outcome => {
  const errors = results.flatMap(({ error }) => error ?? []);
  const dueMs = deps.retries.nextDueMs(pod.uid);
  if (dueMs === undefined && errors.length === 0) return done;
  const [failed] = errors.filter(({ kind }) => kind !== 'networkForbidden');
  if (failed !== undefined) return retry(failed.message, Math.min(dueMs ?? RECHECK_MS, RECHECK_MS));
  if (dueMs !== undefined) return retry('an interface is still to be settled', dueMs);
  // Nothing to try again: an edit, or another rule of Multus, brings the pod back.
  return waitForChange(errors[0]?.message ?? '');
};

/** The one that has to come back sooner. */
const worse = (a: Outcome, b: Outcome): Outcome => {
  if (a.kind !== 'retry') return b;
  if (b.kind !== 'retry') return a;
  return (a.afterMs ?? 0) <= (b.afterMs ?? 0) ? a : b;
};
