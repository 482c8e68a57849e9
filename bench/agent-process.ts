// The agent as it is shipped: the bundle, in a process of its own, told its settings by flags; ready when it says so in its
// log. Memory and CPU time are what the kernel counts for that process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { flagName } from '../src/config/load-settings.ts';
import type { Memory } from './world.ts';

export interface AgentProcessOptions {
  /** The bundled program. */
  readonly bundle: string;
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
/** Of /proc/<pid>/stat: USER_HZ, which is 100 on every Linux that Node runs on. */
const msPerTick = 10;

export class AgentProcess {
  readonly readyMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, readyMs: number) {
    this.#child = child;
    this.readyMs = readyMs;
  }

  static async start({ bundle, nodeFlags, env, settings }: AgentProcessOptions): Promise<AgentProcess> {
    const flags = Object.entries(settings).flatMap(([name, value]) => [flagName(name), value]);
    const started = performance.now();
    const child = spawn(process.execPath, [...nodeFlags, bundle, 'agent', ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const killWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));

    const isReady = Promise.withResolvers<void>();
    const timer = setTimeout(() => isReady.reject(new Error('the agent did not get ready')), startTimeoutMs);
    child.once('exit', (code) => isReady.reject(new Error(`the agent ended with code ${code}`)));
    // Every line has to be read all the same: an agent that cannot write its log stands still.
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"agent started"')) isReady.resolve();
      if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
    });
    await isReady.promise;
    clearTimeout(timer);
    return new AgentProcess(child, performance.now() - started);
  }

  get memory(): Memory | undefined {
    const status = this.#read('status');
    const mib = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status ?? '')?.[1]) / 1024;
    return status === undefined ? undefined : { rssMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
  }

  get cpuMs(): number | undefined {
    // The name, in brackets, may hold blanks; user and system time are the 14th and 15th field.
    const fields = this.#read('stat')?.split(') ').at(-1)?.split(' ');
    return fields && (Number(fields[11]) + Number(fields[12])) * msPerTick;
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
