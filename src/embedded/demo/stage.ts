// What the story and the prompt play on: the embedded cluster, the real agent, the real CLI and its page.
// Promises: a wait ends as soon as the agent dies; after `close` no process, socket or file of the demo is left.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentFlags } from '../agent-under-test.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../cluster.ts';
import { AgentProcess } from './agent-process.ts';
import { PageProcess, runDnet } from './dnet-process.ts';
import { EditClock } from './edit-clock.ts';
import type { Difference } from './judge.ts';
import { runKubectl } from './kubectl.ts';
import { createDemoNetworks } from './networks.ts';
import type { DemoOptions } from './options.ts';
import type { Printer } from './printer.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { hanging } from './style.ts';
import { splitWords } from './words.ts';

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
  readonly clock: EditClock;
  readonly #options: DemoOptions;
  readonly #closing = new AbortController();
  #agent: AgentProcess | undefined;
  #page: PageProcess | undefined;
  /** Error lines of agents that are gone. */
  #pastErrors = 0;

  private constructor(cluster: EmbeddedCluster, printer: Printer, options: DemoOptions) {
    this.cluster = cluster;
    this.printer = printer;
    this.clock = new EditClock(cluster, demoPod);
    this.#options = options;
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
      ...(isVerbose && { onLine: (text) => this.showLog([text]) }),
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

  showLog(lines: readonly string[]): void {
    const { printer } = this;
    printer.lines(lines.flatMap((line) => hanging('  agent | ', line, printer.style.dim)));
  }

  /** The page stays until the demo ends. */
  async openPage(): Promise<string> {
    this.#page ??= await PageProcess.start(this.cluster.kubeconfigPath);
    return this.#page.url;
  }

  /** Carries out a command line, which writes to the terminal; its exit code. */
  async carryOut(line: string, signal?: AbortSignal): Promise<number> {
    const words = splitWords(line);
    if (words === undefined) throw new Error('a quote is never closed');
    const [program, plugin, ...args] = words;
    if (program === 'kubectl' && plugin === 'dnet') {
      const { kubeconfigPath: kubeconfig } = this.cluster;
      const input = args.at(-2) === '<<<' ? (args.splice(-2).at(1) ?? '') : '';
      return runDnet({
        args,
        kubeconfig,
        input,
        signal: AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]),
      });
    }
    if (program !== 'kubectl') throw new Error(`there is no program "${program}" here; "help" says what there is`);
    this.printer.lines([await runKubectl(this.cluster, words.slice(1))]);
    return 0;
  }

  look(): Snapshot {
    return takeSnapshot(this.cluster, demoPod);
  }

  /** Waits until nothing differs; says how long after the last edit that was. */
  async reach(what: string, differencesOf: (snapshot: Snapshot) => readonly Difference[]): Promise<number> {
    const { timeoutMs } = this.#options;
    let differences: readonly Difference[] = [];
    let afterMs = 0;
    const isReached = () => {
      differences = differencesOf(this.look());
      afterMs = this.clock.elapsedMs;
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
    return afterMs;
  }

  /** For reading; none when nobody reads. */
  async pause(): Promise<void> {
    if (this.#options.pauseMs > 0) await sleep(this.#options.pauseMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.clock.stop();
    await Promise.all([this.#agent?.stop(), this.#page?.stop()]);
    await this.cluster.stop();
  }

  /** For the very last moment of this process, when nothing can be awaited. */
  abandon(): void {
    this.#agent?.killNow();
    this.#page?.killNow();
    rmSync(this.cluster.dir, { recursive: true, force: true });
  }
}
