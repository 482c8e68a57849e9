// Docker: the machine's own daemon when one answers; else, for root, one of ours that keeps everything in the cache folder.
// Promises: a daemon that we did not start is never stopped; ours is stopped by its process id, once it runs no container.
import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerRuntimeClient } from 'testcontainers';
import { findProgram, isRoot, requireMachine } from './machine-check.ts';
import { daemonDir } from './paths.ts';
import { pollUntil } from './poll-until.ts';
import { say, step } from './progress.ts';
import { tryCommand } from './run-command.ts';

const bridgeName = 'docker0';
const startDeadlineMs = 30_000;

// The socket of a unix domain is limited to about 100 characters, which a cache folder may exceed.
const runDir = '/run/dynamic-networks-e2e';
const ourSocket = join(runDir, 'docker.sock');
const ourHost = `unix://${ourSocket}`;
const recordFile = (): string => join(daemonDir(), 'started-by-us.json');

type DaemonRecord = { readonly pid: number; readonly bridgeWasThere: boolean };

const answersAt = (host: string): Promise<boolean> => {
  const url = new URL(host);
  const target = url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.end();
  });
};

const findRecord = async (): Promise<DaemonRecord | undefined> => {
  if (!existsSync(recordFile())) return undefined;
  const { pid, bridgeWasThere } = JSON.parse(await readFile(recordFile(), 'utf8'));
  return { pid, bridgeWasThere };
};

/** The number may meanwhile belong to another process: only a dockerd on our socket counts. */
const isOurDaemon = async (pid: number): Promise<boolean> => {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.includes('dockerd') && commandLine.includes(ourHost);
};

const startDaemon = async (): Promise<void> => {
  const dockerd = findProgram('dockerd');
  if (dockerd === undefined) throw new Error('no dockerd on this machine');
  await mkdir(daemonDir(), { recursive: true });
  await mkdir(runDir, { recursive: true });
  const bridgeWasThere = existsSync(`/sys/class/net/${bridgeName}`);
  const log = openSync(join(daemonDir(), 'dockerd.log'), 'a');
  const args = [
    ...['--host', ourHost],
    ...['--data-root', join(daemonDir(), 'data')],
    ...['--exec-root', join(runDir, 'exec')],
    ...['--pidfile', join(runDir, 'docker.pid')],
  ];
  const daemon = spawn(dockerd, args, { detached: true, stdio: ['ignore', log, log] });
  daemon.unref();
  if (daemon.pid === undefined) throw new Error(`${dockerd} did not start`);
  const record: DaemonRecord = { pid: daemon.pid, bridgeWasThere };
  await writeFile(recordFile(), JSON.stringify(record));
  const isUp = async () => ((await answersAt(ourHost)) ? true : undefined);
  await pollUntil(`dockerd to answer; its log: ${join(daemonDir(), 'dockerd.log')}`, isUp, {
    deadlineMs: startDeadlineMs,
  });
};

/** Which daemons answer now; refuses when one could not be started either, or anything else is missing on this machine. */
export const checkDockerAndMachine = async (): Promise<{ machineAnswers: boolean; oursAnswers: boolean }> => {
  const machineHost = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  const machineAnswers = await answersAt(machineHost);
  const oursAnswers = !machineAnswers && (await answersAt(ourHost));
  await requireMachine({ dockerAnswers: machineAnswers || oursAnswers });
  return { machineAnswers, oursAnswers };
};

/** Makes sure that a daemon answers, and points testcontainers at it. */
export const ensureDocker = async (): Promise<void> => {
  // Ryuk is an image to be pulled and a privileged container; the harness cleans up by itself, by label.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  const { machineAnswers, oursAnswers } = await checkDockerAndMachine();
  if (machineAnswers) return;
  if (!oursAnswers) await step('start a Docker daemon of our own', startDaemon);
  process.env['DOCKER_HOST'] = ourHost;
};

/** Whether some daemon answers now; points testcontainers at it, but starts none. */
export const findDocker = async (): Promise<boolean> => {
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  if (await answersAt(process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock')) return true;
  if (!isRoot() || !(await answersAt(ourHost))) return false;
  process.env['DOCKER_HOST'] = ourHost;
  return true;
};

/** Stops the daemon if we started it and nothing runs in it any more. */
export const releaseDocker = async (client: ContainerRuntimeClient): Promise<void> => {
  if (process.env['DOCKER_HOST'] !== ourHost) return;
  const record = await findRecord();
  if (record === undefined || !(await isOurDaemon(record.pid))) return;
  const running = await client.container.dockerode.listContainers();
  if (running.length > 0) {
    say(`our Docker daemon (process ${record.pid}) stays: it still runs ${running.length} container(s)`);
    return;
  }
  await step(`stop our Docker daemon (process ${record.pid})`, () => stopDaemon(record));
};

const stopDaemon = async (record: DaemonRecord): Promise<void> => {
  process.kill(record.pid, 'SIGTERM');
  while (await isOurDaemon(record.pid)) await sleep(100);
  await rm(recordFile(), { force: true });
  await rm(runDir, { recursive: true, force: true });
  // dockerd leaves its bridge behind.
  if (!record.bridgeWasThere) await tryCommand(['ip', 'link', 'delete', bridgeName]);
  delete process.env['DOCKER_HOST'];
};
