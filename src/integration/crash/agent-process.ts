// The agent as a process that tests can kill: the real bundle, or a build of the real composition root that ends itself at a
// ledger transition.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { flagName } from '../../config/load-settings.ts';
import { agentFlags } from '../../embedded/agent-under-test.ts';
import type { EmbeddedCluster } from '../../embedded/cluster.ts';

const dist = resolve(import.meta.dirname, '../../../dist');

export class AgentProcess {
  readonly #child: ChildProcess;
  /** Resolves with the signal that ended it, or 'code N'. */
  readonly ended: Promise<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `code ${code}`));
  }

  static start(cluster: EmbeddedCluster, flags: Record<string, string> = {}): AgentProcess {
    const args = Object.entries(agentFlags(cluster, flags)).flatMap(([name, value]) => [flagName(name), value]);
    return AgentProcess.#spawn([resolve(dist, 'dynamic-networks.mjs'), 'agent', ...args]);
  }

  /** Ends itself by SIGKILL at the given ledger transition; see crashing-agent.ts. */
  static startCrashing(cluster: EmbeddedCluster, transition: number, moment: 'before' | 'after'): AgentProcess {
    const settings = JSON.stringify(agentFlags(cluster));
    return AgentProcess.#spawn([resolve(dist, 'crashing-agent.mjs'), String(transition), moment, settings]);
  }

  static #spawn(args: readonly string[]): AgentProcess {
    return new AgentProcess(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Asks it to end, unless it is dead already; returns what ended it. */
  async terminate(): Promise<string> {
    this.#child.kill('SIGTERM');
    return await this.ended;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async killAndWait(): Promise<void> {
    this.kill();
    await this.ended;
  }
}
