// `kubectl dnet ui` of the real bundle.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { World } from '../harness.ts';

const bundle = resolve(import.meta.dirname, '../../../dist/kubectl-dnet.mjs');

export class UiProcess {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(world: Pick<World, 'cluster'>, ...args: string[]): Promise<UiProcess> {
    const child = spawn(process.execPath, [bundle, 'ui', ...args], {
      env: { KUBECONFIG: world.cluster.kubeconfigPath },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    return new UiProcess(child, String(line).trim());
  }

  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  }
}
