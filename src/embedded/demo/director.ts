// Does what the commands of the interactive mode say, and shows what came of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { stringAt } from '../node/json-values.ts';
import { networksAnnotation } from '../node/network-status.ts';
import { type Command, helpText } from './commands.ts';
import { type EditedNetworks, plugInto, unplugFrom } from './edit-networks.ts';
import { type Settlement, settlementOf } from './settled.ts';
import { demoPod, type Stage } from './stage.ts';
import { formatMs, hanging } from './style.ts';
import { describeConfig, renderEvents, renderSettlement, renderTitle } from './view.ts';

/** Longer than two waits of the agent for a slow Multus; then the prompt comes back, and the view goes on by itself. */
const SETTLE_MS = 5000;
/** Longer than the longest delay between two tries of the agent, as it is set up here. */
const HEALING_MS = 2500;
/** Events come a moment after what they tell of. */
const EVENT_MS = 100;
const RESTART_MS = 1000;

export class Director {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async welcome(): Promise<void> {
    const { printer, cluster } = this.#stage;
    printer.lines(renderTitle('interactive', 'your turn: "help" lists the commands, "quit" ends', printer.style));
    this.#stage.say(`kubectl works too: export KUBECONFIG=${cluster.kubeconfigPath}`);
    await this.#newPod(undefined);
  }

  async perform(command: Command): Promise<void> {
    const { printer, cluster } = this.#stage;
    switch (command.kind) {
      case 'nothing':
      case 'quit':
        return;
      case 'mistake':
        return printer.lines(hanging('  ', command.message, printer.style.bad));
      case 'help':
        return printer.lines(helpText.split('\n'));
      case 'show':
        return void this.#stage.show();
      case 'networks':
        return this.#showNetworks();
      case 'events':
        return this.#showEvents();
      case 'plug':
        return this.#write(plugInto(this.#networks(), command, demoPod.namespace));
      case 'unplug': {
        const reported = cluster.networkStatus(demoPod);
        return this.#write(unplugFrom(this.#networks(), command.interface, reported, demoPod.namespace));
      }
      case 'edit':
        cluster.pod(demoPod);
        return this.#write({ ok: true, text: command.text });
      case 'newPod':
        return this.#newPod(command.networks);
      case 'deletePod':
        return this.#deletePod();
      case 'killAgent':
        return this.#killAgent();
      case 'multusDown':
        await cluster.multus.down();
        return this.#stage.say('Multus is down. Edit away: the agent keeps trying. "faults multus up" brings it back.');
      case 'multusSlow':
        cluster.multus.clearFaults();
        cluster.multus.inject({ kind: 'slow', ms: command.ms });
        return this.#stage.say(`Multus now takes ${formatMs(command.ms)} for everything.`);
      case 'multusUp':
        this.#stage.follower.restartClock();
        cluster.multus.clearFaults();
        await cluster.multus.up();
        this.#stage.say('Multus is up and in good health.');
        return this.#settle({ isHealing: true });
    }
  }

  #networks(): string | undefined {
    return this.#stage.cluster.pod(demoPod).metadata.annotations?.[networksAnnotation];
  }

  async #write(edited: EditedNetworks): Promise<void> {
    const { printer } = this.#stage;
    if (!edited.ok) return printer.lines(hanging('  ', edited.problem, printer.style.bad));
    this.#stage.edit(edited.text);
    await this.#settle();
  }

  async #newPod(networks: string | undefined): Promise<void> {
    const { cluster, follower } = this.#stage;
    if (cluster.objects.find({ resource: 'pods', ...demoPod }) !== undefined) {
      throw new Error(`pod ${demoPod.name} is there already; "delete pod" first`);
    }
    const annotation = networks === undefined ? '' : ` --annotations=${networksAnnotation}='${networks}'`;
    this.#stage.command(`kubectl run ${demoPod.name} --image=busybox${annotation}`);
    follower.restartClock();
    await cluster.createPod({ ...demoPod, wait: false, ...(networks !== undefined && { networks }) });
    await this.#settle();
  }

  async #deletePod(): Promise<void> {
    const { cluster, follower } = this.#stage;
    cluster.pod(demoPod);
    this.#stage.command(`kubectl delete pod ${demoPod.name}`);
    follower.restartClock();
    cluster.objects.remove({ resource: 'pods', ...demoPod });
    await this.#settle({ mustEnd: true });
  }

  async #killAgent(): Promise<void> {
    const { pid } = this.#stage.agent;
    this.#stage.command(`kill -9 ${pid}`);
    await this.#stage.agent.kill();
    await sleep(RESTART_MS);
    this.#stage.follower.restartClock();
    const agent = await this.#stage.startAgent();
    this.#stage.say(`The agent is back as process ${agent.pid}.`);
    await this.#settle({ isHealing: true });
  }

  /**
   * Until the agent has done what is asked for, or has said why not; then, or after a while, the table. An old complaint
   * may stand on the pod although it is about to be healed: `isHealing` waits for better news.
   */
  async #settle({ isHealing = false, mustEnd = false } = {}): Promise<void> {
    const { cluster, follower, printer } = this.#stage;
    let settlement: Settlement = { kind: 'open', differences: [] };
    let afterMs = 0;
    const isSettled = (): boolean => {
      const snapshot = follower.flush();
      settlement = settlementOf(snapshot, demoPod.namespace);
      afterMs = follower.elapsedMs;
      if (mustEnd && snapshot.pod !== undefined) return false;
      return settlement.kind === 'done' || (settlement.kind === 'complaint' && !isHealing);
    };
    await cluster.until('settled', isSettled, isHealing ? HEALING_MS : SETTLE_MS).catch(() => {});
    await this.#stage.awaitEvents(EVENT_MS);
    printer.lines(renderSettlement(settlement, afterMs, printer.style));
    this.#stage.show();
  }

  #showNetworks(): void {
    const { cluster, printer } = this.#stage;
    for (const { metadata, spec } of cluster.objects.list('network-attachment-definitions')) {
      const name = `${metadata.namespace}/${metadata.name}`;
      printer.lines(hanging(`  ${name.padEnd(16)} `, describeConfig(stringAt(spec, 'config')), printer.style.dim));
    }
  }

  #showEvents(): void {
    const { follower, printer } = this.#stage;
    const { events } = follower.flush();
    const told = events.map((event) => ({ ...event, message: `${event.message} [${event.component}]` }));
    printer.lines(told.length === 0 ? ['  no events'] : renderEvents(told, printer.style));
  }
}
