// kubectl dnet uninstall: gives back what the agents hold, then removes everything in an order in which nothing is lost.
import { setTimeout as delay } from 'node:timers/promises';
import { isNotFound } from '../../kube/api-error.ts';
import { parseHeader } from '../../vm/object-header.ts';
import { viewVmi } from '../../vm/vmi-view.ts';
import { CliError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { getPod, listPods } from '../gather/cluster-pod.ts';
import { editPodNetworks } from '../gather/edit-pod-networks.ts';
import { readHoldings } from '../gather/held-interfaces.ts';
import { DEFAULT_NAMESPACE, findInstallation, type Installation } from '../gather/installation.ts';
import { listOurObjects, RIGHTS, WEBHOOKS } from '../gather/our-objects.ts';
import { findObjects } from '../gather/read-objects.ts';
import {
  CLAIMS,
  DAEMON_SETS,
  DEPLOYMENTS,
  NAMESPACES,
  type ObjectRef,
  objectPath,
  type Resource,
  VMIS,
} from '../gather/resources.ts';
import { parseDuration } from '../logic/duration.ts';
import { unplugFrom } from '../logic/edit-networks.ts';
import { planUninstall, type UninstallPlan } from '../logic/plan-uninstall.ts';
import type { Session } from '../session.ts';

const LEDGER_POLL_MS = 500;

export const addUninstall: AddCommand = ({ program, run }) => {
  const command = program
    .command('uninstall')
    .summary('give back what the agents hold, and remove everything')
    .description(
      'Unplugs what was hot-plugged, waits until the agents hold nothing, and removes the installation in order. Shows what it would do unless --yes is given.',
    )
    .option('--yes', 'do it')
    .option(
      '--force',
      'also while virtual machines need it, or an agent cannot be asked: their addresses may stay taken',
    )
    .option('--timeout <DURATION>', 'how long to wait for the agents', '5m');
  run(command, async (session) => {
    const flags = command.opts<{ yes?: boolean; force?: boolean; timeout: string }>();
    const timeoutMs = parseDuration(flags.timeout, '--timeout');
    const installation = await findInstallation(session);
    const namespace = installation.agents?.namespace ?? installation.controller?.namespace;
    if (namespace === undefined) throw new CliError('nothing of dynamic-networks is installed in this cluster');
    const plan = await makePlan(session, installation, namespace);
    announce(session, plan, namespace);
    if (plan.obstacles.length > 0 && flags.force !== true) {
      throw new CliError('it is still needed', 'resolve the above first, or add --force');
    }
    if (flags.yes !== true) {
      session.terminal.note('Nothing was done. Add --yes to do it.');
      return 1;
    }
    await removeAll(session, WEBHOOKS);
    await unplugAll(session, plan);
    await waitForLedgers(session, namespace, timeoutMs, flags.force === true);
    await removeInstallation(session, installation, namespace);
    session.terminal.print('Done. On the nodes an empty directory is left: rm -r /var/lib/dynamic-networks');
    return undefined;
  });
};

const makePlan = async (session: Session, installation: Installation, namespace: string): Promise<UninstallPlan> => {
  const [holdings, pods, machines, claims] = await Promise.all([
    readHoldings(session, namespace),
    listPods(session, undefined),
    findObjects(session, VMIS),
    findObjects(session, CLAIMS),
  ]);
  const needed = new Set(holdings.held.map((entry) => `${entry.namespace}/${entry.pod}`));
  return planUninstall({
    installation,
    holdings,
    pods: pods.filter(({ pod }) => needed.has(pod.key)),
    machines: (machines ?? []).flatMap((object) => {
      const vmi = viewVmi(object);
      return vmi?.spec.networks.some(({ isSecondary }) => isSecondary) ? [vmi.key] : [];
    }),
    claims: (claims ?? []).flatMap((object) => {
      const header = parseHeader(object);
      return header === undefined ? [] : [`${header.namespace}/${header.name}`];
    }),
  });
};

const announce = ({ terminal }: Session, { obstacles, unplug }: UninstallPlan, namespace: string): void => {
  for (const obstacle of obstacles) terminal.print(`needed: ${obstacle}`);
  for (const { namespace: of, pod, interface: name, network } of unplug)
    terminal.print(`unplug: ${name} on ${network} of pod ${of}/${pod}`);
  terminal.print(`remove: webhooks, controller, agents, rights, and what is ours in namespace ${namespace}`);
};

const unplugAll = async (session: Session, { unplug }: UninstallPlan): Promise<void> => {
  for (const [index, { namespace, pod, interface: name }] of unplug.entries()) {
    session.terminal.progress(`unplugging ${index + 1} of ${unplug.length}: ${name} of ${namespace}/${pod}`);
    try {
      await getPod(session, namespace, pod);
      await editPodNetworks({ ...session, namespace }, pod, (found) => unplugFrom(found.pod, name));
    } catch (error) {
      // Gone meanwhile, or somebody else took the element away: the agent releases it all the same.
      if (!(error instanceof CliError)) throw error;
    }
  }
};

const waitForLedgers = async (
  session: Session,
  namespace: string,
  timeoutMs: number,
  isForced: boolean,
): Promise<void> => {
  const deadline = session.now() + timeoutMs;
  for (;;) {
    const { held, silent } = await readHoldings(session, namespace);
    if (held.length === 0 && (silent.length === 0 || isForced)) return;
    if (session.now() > deadline) {
      if (isForced) return;
      const first = held[0];
      const what =
        first === undefined
          ? `agent ${silent[0]?.name} does not answer`
          : `${first.interface} on ${first.network} of ${first.namespace}/${first.pod} on node ${first.node}`;
      throw new CliError(
        `the agents still hold ${held.length} interfaces after ${timeoutMs / 1000} s: ${what}`,
        'kubectl dnet doctor says why; the agents are still there and go on trying. --force leaves their addresses taken',
      );
    }
    session.terminal.progress(`waiting for the agents to give back ${held.length} interfaces …`);
    await delay(LEDGER_POLL_MS, undefined, { signal: session.signal });
  }
};

const removeInstallation = async (session: Session, installation: Installation, namespace: string): Promise<void> => {
  const { controller, agents } = installation;
  if (controller !== undefined) await remove(session, DEPLOYMENTS, controller);
  if (agents !== undefined) await remove(session, DAEMON_SETS, agents);
  await removeAll(session, RIGHTS);
  if (namespace === DEFAULT_NAMESPACE) await remove(session, NAMESPACES, { name: namespace });
  else
    session.terminal.note(
      `note: namespace ${namespace} is not ours alone and stays; its settings, accounts and services named dynamic-networks-* can go`,
    );
};

const removeAll = async (session: Session, resources: readonly Resource[]): Promise<void> => {
  for (const { resource, name } of await listOurObjects(session, resources)) await remove(session, resource, { name });
};

const remove = async (
  { client, signal, terminal }: Session,
  resource: Resource,
  { namespace, name }: ObjectRef,
): Promise<void> => {
  try {
    await client.json({
      method: 'DELETE',
      path: objectPath(resource, { namespace, name }),
      body: { propagationPolicy: 'Foreground' },
      signal,
    });
    terminal.print(`removed ${resource.kind} ${name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};
