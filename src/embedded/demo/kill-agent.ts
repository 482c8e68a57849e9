// The step of the story in which the agent is killed when Multus has made the interface, but before the agent hears of it.
import type { Difference } from './judge.ts';
import type { Snapshot } from './snapshot.ts';
import { NotSeenError, type Stage } from './stage.ts';
import { linksOf, playEdit, type Step, type } from './steps.ts';

const INTERFACE = 'backup0';

export const killAgent: Step = {
  title: 'The agent is killed (SIGKILL) in the middle of a plug',
  play: async (stage) => {
    const { printer, cluster } = stage;
    const { pid } = stage.agent;
    const death = killDuringPlug(stage);
    await type(stage, `kubectl dnet plug web infra/storage --interface ${INTERFACE}`);
    await cluster.until('the agent is killed in the middle of the plug', death.isSeen).catch(() => {
      throw new NotSeenError(`Multus was never asked to add ${INTERFACE}, so the agent could not be killed then`);
    });
    printer.command(`kill -9 ${pid}    # Multus has plugged ${INTERFACE}; the agent will never hear of it`);
    await type(stage, 'kubectl dnet status web');
    const crashed = stage.look();
    const differences = findCrashDifferences(crashed);
    if (differences.length > 0) throw new NotSeenError('the crash left something else than it should', differences);
    printer.say(`In the kernel: ${linksOf(crashed)}. So ${INTERFACE} has an address, and nobody reports it.`);
    await stage.pause();
    stage.clock.restart();
    const restarted = await stage.startAgent();
    printer.say(`The agent starts again (process ${restarted.pid}), reads its ledger and tidies up:`);
    await playEdit(stage, {
      commands: [['kubectl dnet wait web'], ['kubectl dnet status web']],
      has: { data0: 'default/green', net2: 'default/red', uplink0: 'default/blue', [INTERFACE]: 'infra/storage' },
      keeps: ['data0', 'net2', 'uplink0'],
      since: 'it was started',
    });
    demandTidiedUp(stage);
  },
};

const killDuringPlug = (stage: Stage): { isSeen: () => boolean } => {
  let isDead = false;
  const end = stage.cluster.multus.onRequest(async ({ command, ifname }) => {
    if (command !== 'ADD' || ifname !== INTERFACE) return;
    end();
    await stage.agent.kill();
    isDead = true;
  }, 'acted');
  return { isSeen: () => isDead };
};

/** What a crash leaves behind: the link and its address, with no word of them on the pod. */
const findCrashDifferences = ({ rows }: Snapshot): Difference[] => {
  const row = rows.find(({ name }) => name === INTERFACE);
  return [
    ...(row?.kernel ? [] : [{ expected: `kernel: ${INTERFACE} half-plugged`, seen: 'no such link' }]),
    ...(row?.status ? [{ expected: `network-status: no ${INTERFACE} yet`, seen: 'an entry' }] : []),
  ];
};

const demandTidiedUp = ({ cluster, printer }: Stage): void => {
  const calls = cluster.multus.calls.filter(({ ifname }) => ifname === INTERFACE);
  const commands = calls.map(({ command }) => command).join(', ');
  if (commands !== 'ADD, DEL, ADD') {
    const differences = [{ expected: `${INTERFACE}: ADD (cut off), DEL, ADD`, seen: commands }];
    throw new NotSeenError('the restarted agent did not tidy up as it should', differences);
  }
  printer.good(`what Multus was asked for ${INTERFACE}: ADD (cut off), DEL, ADD`);
};
