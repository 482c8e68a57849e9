// kubectl-dnet as a person has it: the bundle, as a process of its own, with a kubeconfig of the embedded cluster.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const bundle = resolve(import.meta.dirname, '../../../dist/kubectl-dnet.mjs');

interface Start {
  readonly args: readonly string[];
  readonly kubeconfig: string;
  readonly stdout: number | 'pipe';
}

const start = ({ args, kubeconfig, stdout }: Start): ChildProcess => {
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing; make it with: npm run build`);
  const { PATH, TERM, COLORTERM, NO_COLOR } = process.env;
  return spawn(process.execPath, [bundle, ...args], {
    // Notes of the CLI go where its results go: both are for the person who watches.
    stdio: ['pipe', stdout, stdout === 'pipe' ? 'ignore' : stdout],
    env: { PATH, TERM, COLORTERM, NO_COLOR, KUBECONFIG: kubeconfig },
  });
};

export interface DnetRun {
  readonly args: readonly string[];
  readonly kubeconfig: string;
  readonly input: string;
  readonly signal: AbortSignal;
}

/** Its exit code. It writes to the demo's own standard output, so that a terminal is a terminal for it, too. */
export const runDnet = async ({ args, kubeconfig, input, signal }: DnetRun): Promise<number> => {
  const child = start({ args, kubeconfig, stdout: process.stdout.fd });
  child.stdin?.on('error', () => {}); // it need not read what it is given
  child.stdin?.end(input);
  const end = () => child.kill('SIGINT');
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  return typeof code === 'number' ? code : 130;
};

/** `kubectl dnet ui`, until it is ended. */
export class PageProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(kubeconfig: string): Promise<PageProcess> {
    const child = start({ args: ['ui'], kubeconfig, stdout: 'pipe' });
    if (child.stdout === null) throw new Error('kubectl dnet ui cannot be heard');
    const ended = once(child, 'close').then(([code]) => {
      throw new Error(`kubectl dnet ui ended with exit code ${code} before it said its address`);
    });
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    ended.catch(() => {});
    return new PageProcess(child, String(line));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await ended;
  }

  /** For the very last moment of the demo's own process, when nothing can be awaited. */
  killNow(): void {
    this.#child.kill('SIGKILL');
  }
}
