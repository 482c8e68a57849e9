// What the story and the interactive mode play on: the embedded cluster, the real agent, one pod, and the view of them.
// Promises: a wait ends as soon as the agent dies; after `close` no process, socket or file of the demo is left.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentFlags } from '../agent-under-test.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';
import { networksAnnotation } from '../node/network-status.ts';
import { AgentProcess } from './agent-process.ts';
import { Follower } from './follower.ts';
import type { Difference } from './judge.ts';
import { createDemoNetworks } from './networks.ts';
import type { DemoOptions } from './options.ts';
import type { Printer } from './printer.ts';
import type { SeenEvent, Snapshot } from './snapshot.ts';
import {
  annotateCommand,
  renderChange,
  renderCommand,
  renderLogLine,
  renderNarration,
  renderSnapshot,
} from './view.ts';

export const demoPod = { namespace: 'default', name: 'web' };

/** The demo did not show what it promised. */
export class NotSeenError extends Error {
  readonly differences: readonly Difference[];

  constructor(message: string, differences: readonly Difference[] = []) {
    super(message);
    this.name = 'NotSeenError';
    this.differences = differences;
  }
}

export class Stage {
  readonly cluster: EmbeddedCluster;
  readonly printer: Printer;
  readonly follower: Follower;
  readonly #options: DemoOptions;
  readonly #shownEvents = new Set<string>();
  #agent: AgentProcess | undefined;
  /** Error lines of agents that are gone. */
  #pastErrors = 0;

  private constructor(cluster: EmbeddedCluster, printer: Printer, options: DemoOptions) {
    this.cluster = cluster;
    this.printer = printer;
    this.#options = options;
    this.follower = new Follower(cluster, demoPod, (changes, elapsedMs) =>
      printer.lines(changes.map((change) => renderChange(change, elapsedMs, printer.style))),
    );
  }

  static async open(printer: Printer, options: DemoOptions): Promise<Stage> {
    const cluster = await startEmbeddedCluster();
    createDemoNetworks(cluster);
    return new Stage(cluster, printer, options);
  }

  async startAgent(): Promise<AgentProcess> {
    const { agentSettings, isVerbose, timeoutMs } = this.#options;
    const level = { logLevel: isVerbose ? 'debug' : 'info' };
    this.#pastErrors = this.agentErrors;
    const agent = AgentProcess.spawn({
      flags: agentFlags(this.cluster, { ...level, ...agentSettings }),
      startTimeoutMs: timeoutMs,
      ...(isVerbose && { onLine: (text) => this.printer.lines(renderLogLine(text, this.printer.style)) }),
    });
    this.#agent = agent;
    await agent.whenStarted();
    return agent;
  }

  get agent(): AgentProcess {
    if (this.#agent === undefined) throw new Error('no agent was started');
    return this.#agent;
  }

  get agentErrors(): number {
    return this.#pastErrors + (this.#agent?.errors ?? 0);
  }

  get lastAgentLines(): readonly string[] {
    return this.#agent?.lastLines ?? [];
  }

  say(text: string): void {
    this.printer.lines(renderNarration(text, this.printer.style));
  }

  succeed(text: string): void {
    this.printer.lines([`  ${this.printer.style.good(`✓ ${text}`)}`]);
  }

  /** Shows what a person would type. */
  command(text: string): void {
    this.printer.lines(renderCommand(text, this.printer.style));
  }

  edit(networks: string | undefined): void {
    this.command(annotateCommand(demoPod.name, networksAnnotation, networks));
    this.follower.restartClock();
    this.cluster.editNetworks(demoPod, networks);
  }

  /** Waits until nothing differs; says how long that took since the clock was restarted. */
  async reach(what: string, differencesOf: (snapshot: Snapshot) => readonly Difference[]): Promise<number> {
    const { timeoutMs } = this.#options;
    let differences: readonly Difference[] = [];
    const isReached = () => {
      differences = differencesOf(this.follower.flush());
      return differences.length === 0;
    };
    const agent = this.#agent;
    const death = agent?.ended.then((how) => {
      throw new NotSeenError(`the agent (process ${agent.pid}) ${how} by itself`, differences);
    });
    try {
      await Promise.race([this.cluster.until(what, isReached, timeoutMs), ...(death ? [death] : [])]);
    } catch (error) {
      if (error instanceof NotSeenError) throw error;
      throw new NotSeenError(`waited ${timeoutMs / 1000} s in vain until ${what}`, differences);
    } finally {
      death?.catch(() => {});
    }
    return this.follower.elapsedMs;
  }

  /** Waits for an event of the agent that was not shown yet. */
  async reachEvent(reason: string, part: string): Promise<void> {
    await this.reach(`the event ${reason} tells of ${part}`, ({ events }) => {
      const fresh = this.#fresh(events).filter((event) => event.reason === reason);
      if (fresh.some(({ message }) => message.includes(part))) return [];
      const seen = fresh.map(({ message }) => message).join('; ') || `no new event ${reason}`;
      return [{ expected: `event ${reason} with "${part}"`, seen }];
    });
  }

  /** Until there is something new from the agent to show; not for long, since there need not be. */
  async awaitEvents(timeoutMs: number): Promise<void> {
    const hasNew = () => this.#fresh(this.follower.flush().events).length > 0;
    await this.cluster.until('there is a new event', hasNew, timeoutMs).catch(() => {});
  }

  show(): Snapshot {
    const snapshot = this.follower.flush();
    const fresh = this.#fresh(snapshot.events);
    for (const { uid } of fresh) this.#shownEvents.add(uid);
    this.printer.lines(renderSnapshot(snapshot, fresh, this.printer.style));
    return snapshot;
  }

  /** For reading; none when nobody reads. */
  async pause(): Promise<void> {
    if (this.#options.pauseMs > 0) await sleep(this.#options.pauseMs);
  }

  async close(): Promise<void> {
    this.follower.stop();
    await this.#agent?.stop();
    await this.cluster.stop();
  }

  /** For the very last moment of this process, when nothing can be awaited. */
  abandon(): void {
    this.#agent?.killNow();
    rmSync(this.cluster.dir, { recursive: true, force: true });
  }

  /** Multus and the kubelet tell of the same things in their own events: those are in `events` of the interactive mode. */
  #fresh(events: readonly SeenEvent[]): SeenEvent[] {
    return events.filter(({ uid, component }) => component === 'dynamic-networks' && !this.#shownEvents.has(uid));
  }
}
