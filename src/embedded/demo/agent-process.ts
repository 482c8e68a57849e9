// The real agent as a child process: the bundle, with flags that point it at the embedded cluster.
// Promises: `whenStarted` resolves when the agent itself says that it has started; ending it goes by its process id; its last
// log lines are kept for the message of a failure.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readLogLine } from './log-line.ts';

export const bundlePath = resolve(import.meta.dirname, '../../../dist/dynamic-networks.mjs');

export interface AgentOptions {
  /** By setting name, as `agentFlags` gives them. */
  readonly flags: Readonly<Record<string, string>>;
  readonly onLine?: (text: string) => void;
  readonly startTimeoutMs: number;
}

const KEPT_LINES = 15;
/** The agent lets work in flight finish within its own shutdown timeout, which is shorter. */
const STOP_TIMEOUT_MS = 8000;

const toArguments = (flags: Readonly<Record<string, string>>): string[] =>
  Object.entries(flags).map(
    ([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );

/** Nothing wrong with the demo: the agent, or its bundle, cannot be run as asked. */
export class AgentStartError extends Error {}

export class AgentProcess {
  readonly pid: number;
  /** Resolves with what is to be said about it when the process has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #options: AgentOptions;
  readonly #lastLines: string[] = [];
  readonly #started = Promise.withResolvers<void>();
  #errors = 0;
  #isRunning = true;

  private constructor(child: ChildProcess, pid: number, options: AgentOptions) {
    this.#child = child;
    this.pid = pid;
    this.#options = options;
    this.ended = new Promise((resolveEnd) => {
      child.once('close', (code, signal) => {
        this.#isRunning = false;
        resolveEnd(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
      });
    });
    if (child.stdout !== null) this.#follow(child.stdout);
    if (child.stderr !== null) this.#follow(child.stderr);
  }

  /** The process is there when this returns, so that whoever asked for it can end it at any time. */
  static spawn(options: AgentOptions): AgentProcess {
    if (!existsSync(bundlePath)) throw new AgentStartError(`${bundlePath} is missing; make it with: npm run build`);
    const child = spawn(process.execPath, [bundlePath, 'agent', ...toArguments(options.flags)], {
      // Its own process group: Ctrl-C is for the demo, which then ends the agent in good order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Neither settings nor proxies of the person's shell: everything it needs is in its flags and on this machine.
      env: { PATH: process.env['PATH'] },
    });
    child.on('error', () => {}); // told by the missing id
    if (child.pid === undefined)
      throw new AgentStartError(`the agent cannot be started: no process ${process.execPath}`);
    return new AgentProcess(child, child.pid, options);
  }

  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** How many lines of level error or fatal there were: in a healthy run, none. */
  get errors(): number {
    return this.#errors;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** SIGKILL: no chance to tidy up. */
  async kill(): Promise<void> {
    this.killNow();
    await this.ended;
  }

  /** For the very last moment of the demo's own process, when nothing can be awaited. */
  killNow(): void {
    if (this.#isRunning) this.#child.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.killNow(), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  async whenStarted(): Promise<void> {
    const { startTimeoutMs } = this.#options;
    const tooLate = new AgentStartError(`the agent did not start within ${startTimeoutMs / 1000} s`);
    const timer = setTimeout(() => this.#started.reject(tooLate), startTimeoutMs);
    const tooEarly = this.ended.then((how) => {
      throw new AgentStartError(`the agent ${how} before it had started`);
    });
    try {
      await Promise.race([this.#started.promise, tooEarly]);
    } finally {
      clearTimeout(timer);
      tooEarly.catch(() => {});
    }
  }

  #follow(stream: Readable): void {
    createInterface({ input: stream }).on('line', (raw) => {
      const { level, text } = readLogLine(raw);
      if (raw.includes('"msg":"agent started"')) this.#started.resolve();
      if (level === 'error' || level === 'fatal') this.#errors += 1;
      this.#lastLines.push(text);
      if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift();
      this.#options.onLine?.(text);
    });
  }
}
