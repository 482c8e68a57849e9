// Another controller in place of ours: any command, started through a shell on this machine and told by its environment
// where cluster and node are. It runs in the foreground until its process group gets SIGTERM; nothing else is asked of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsIn, groupIn, memoryIn } from '../proc-files.ts';
import type { Controller } from './controller.ts';

export interface ReferenceOptions {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const stopTimeoutMs = 30_000;

export const makeReferenceController = ({ command, env, cwd }: ReferenceOptions): Controller => {
  let child: ChildProcess | undefined;
  /** CPU time of members that ended, as far as it was seen, is lost: long-running ones are what is compared. */
  const members = (): { readonly status: string; readonly stat: string }[] =>
    child?.pid === undefined ? [] : membersOf(child.pid);

  const stop = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const { pid } = ending;
    signalGroup(pid, 'SIGTERM');
    const isLate = await Promise.race([
      once(ending, 'exit').then(() => false),
      delay(stopTimeoutMs, true, { ref: false }),
    ]);
    if (isLate) signalGroup(pid, 'SIGKILL');
  };

  return {
    isInCluster: false,
    hasLedger: false,
    editDeadlineMs: 900_000,
    start: async (proveIt) => {
      // A group of its own, so that whatever the command starts can be ended with it. Its output goes where progress goes.
      const started = spawn('sh', ['-c', command], {
        detached: true,
        stdio: ['ignore', 2, 2],
        env: { ...process.env, ...env },
        ...(cwd !== undefined && { cwd }),
      });
      child = started;
      const killWithUs = (): void => void (started.pid !== undefined && signalGroup(started.pid, 'SIGKILL'));
      process.once('exit', killWithUs);
      started.once('exit', () => process.off('exit', killWithUs));
      const ended = once(started, 'exit').then(([code, signal]) => {
        throw new Error(`the reference ended with ${signal ?? code} instead of working: ${command}`);
      });
      // Later on it may end: only while it has to prove itself is that a failure of its own.
      ended.catch(() => undefined);
      await Promise.race([proveIt(), ended]);
    },
    stop,
    calls: async () => undefined,
    activity: async () => '',
    cpuMs: async () => members().reduce((sum, { stat }) => sum + cpuMsIn(stat), 0),
    memory: async () => {
      const each = members().map(({ status }) => memoryIn(status));
      const sum = (of: 'rssMiB' | 'peakMiB') => each.reduce((total, memory) => total + (memory[of] || 0), 0);
      return { rssMiB: sum('rssMiB'), peakMiB: sum('peakMiB') };
    },
  };
};

const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone: what was wanted.
  }
};

const membersOf = (group: number): { readonly status: string; readonly stat: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        if (groupIn(stat) !== group) return [];
        return [{ stat, status: readFileSync(`/proc/${pid}/status`, 'utf8') }];
      } catch {
        return [];
      }
    });
