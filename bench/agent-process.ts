// The agent, or the controller, as it is shipped: the bundle, in a process of its own, told its settings by flags; ready when
// it says so in its log. Memory and CPU time are what the kernel counts for that process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { flagName } from '../src/config/load-settings.ts';
import { cpuMsIn, memoryIn } from './proc-files.ts';
import type { Memory } from './world.ts';

export interface AgentProcessOptions {
  /** The bundled program. */
  readonly bundle: string;
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** The agent when left out. */
  readonly role?: keyof typeof readyLines;
}

/** What each role says when it is at work. */
const readyLines = { agent: '"agent started"', controller: '"leading"' } as const;

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

export class AgentProcess {
  readonly readyMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, readyMs: number) {
    this.#child = child;
    this.readyMs = readyMs;
  }

  static async start({ bundle, nodeFlags, env, settings, role = 'agent' }: AgentProcessOptions): Promise<AgentProcess> {
    const flags = Object.entries(settings).flatMap(([name, value]) => [flagName(name), value]);
    const started = performance.now();
    const child = spawn(process.execPath, [...nodeFlags, bundle, role, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const killWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));

    const isReady = Promise.withResolvers<void>();
    const timer = setTimeout(() => isReady.reject(new Error(`the ${role} did not get ready`)), startTimeoutMs);
    child.once('exit', (code) => isReady.reject(new Error(`the ${role} ended with code ${code}`)));
    // Every line has to be read all the same: an agent that cannot write its log stands still.
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes(readyLines[role])) isReady.resolve();
      if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
    });
    await isReady.promise;
    clearTimeout(timer);
    return new AgentProcess(child, performance.now() - started);
  }

  get memory(): Memory | undefined {
    const status = this.#read('status');
    return status === undefined ? undefined : memoryIn(status);
  }

  get cpuMs(): number | undefined {
    const stat = this.#read('stat');
    return stat === undefined ? undefined : cpuMsIn(stat);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit', { signal: AbortSignal.timeout(stopTimeoutMs) });
  }

  #read(file: string): string | undefined {
    try {
      return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8');
    } catch {
      return undefined;
    }
  }
}
