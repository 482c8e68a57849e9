// The steps of the story in which something ends: the agent in the middle of its work, and the pod.
import { type Difference, findLeftovers } from './judge.ts';
import type { Snapshot } from './snapshot.ts';
import { demoPod, NotSeenError, type Stage } from './stage.ts';
import { attachments, reachNetworks, type Step } from './steps.ts';

const CRASH_INTERFACE = 'backup0';

/** Kills the agent when Multus has made the interface, but before the agent gets to hear of it. */
const killDuringPlug = (stage: Stage): { isDead: () => boolean } => {
  let isDead = false;
  const end = stage.cluster.multus.onRequest(async ({ command, ifname }) => {
    if (command !== 'ADD' || ifname !== CRASH_INTERFACE) return;
    end();
    await stage.agent.kill();
    isDead = true;
  }, 'acted');
  return { isDead: () => isDead };
};

/** What a crash leaves behind: the link and its address, with no word of them on the pod. */
const findCrashDifferences = ({ rows }: Snapshot): Difference[] => {
  const row = rows.find(({ name }) => name === CRASH_INTERFACE);
  return [
    ...(row?.kernel ? [] : [{ expected: `kernel: ${CRASH_INTERFACE} half-plugged`, seen: 'no such link' }]),
    ...(row?.status ? [{ expected: `network-status: no ${CRASH_INTERFACE} yet`, seen: 'an entry' }] : []),
  ];
};

export const killAgent: Step = {
  title: 'The agent is killed (SIGKILL) in the middle of a plug',
  play: async (stage) => {
    const since = stage.follower.flush();
    const crash = killDuringPlug(stage);
    const { pid } = stage.agent;
    stage.edit(`green@data0, red, blue@uplink0, infra/storage@${CRASH_INTERFACE}`);
    // The agent's end is what is waited for here, so it must not count as a failure: no stage.reach.
    await stage.cluster.until('the agent is killed in the middle of the plug', crash.isDead).catch(() => {
      throw new NotSeenError(`Multus was never asked to add ${CRASH_INTERFACE}, so the agent could not be killed then`);
    });
    const differences = findCrashDifferences(stage.follower.flush());
    if (differences.length > 0) throw new NotSeenError('the crash left something else than it should', differences);
    stage.command(`kill -9 ${pid}    # Multus has plugged ${CRASH_INTERFACE}; the agent will never hear of it`);
    stage.show();
    await stage.pause();
    stage.say(
      'An interface and an address that nobody reports. The agent starts again, reads its ledger and tidies up:',
    );
    stage.follower.restartClock();
    const restarted = await stage.startAgent();
    const has = {
      data0: 'default/green',
      net2: 'default/red',
      uplink0: 'default/blue',
      [CRASH_INTERFACE]: 'infra/storage',
    };
    const kept = { names: ['eth0', 'data0', 'net2', 'uplink0'], since };
    const ms = await reachNetworks(stage, { attachments: attachments(has), ready: 'True', kept });
    await stage.reachEvent('AddedInterface', `${CRASH_INTERFACE} on infra/storage`);
    demandTidiedUp(stage);
    stage.say(`The new agent (process ${restarted.pid}) removed the half-made interface before it plugged it anew.`);
    return ms;
  },
};

const demandTidiedUp = (stage: Stage): void => {
  const commands = stage.cluster.multus.calls
    .filter(({ ifname }) => ifname === CRASH_INTERFACE)
    .map(({ command }) => command);
  if (commands.join(' ') === 'ADD DEL ADD') return;
  throw new NotSeenError('the restarted agent did not tidy up as it should', [
    { expected: `${CRASH_INTERFACE}: ADD (cut off), DEL, ADD`, seen: commands.join(', ') },
  ]);
};

export const deletePod: Step = {
  title: 'The pod is deleted: every address comes back',
  verdict: 'all returned',
  play: async (stage) => {
    stage.command(`kubectl delete pod ${demoPod.name}`);
    stage.follower.restartClock();
    await stage.cluster.deletePod(demoPod);
    return stage.reach('the pod is gone and no address is in use', findLeftovers);
  },
};
