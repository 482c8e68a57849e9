// What this machine lacks for the cluster, and how to get it; asked before anything is started.
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { freemem } from 'node:os';
import { delimiter, join } from 'node:path';
import { findUnbuilt } from './build-components.ts';
import { cacheDir, sourceDir } from './paths.ts';
import { say } from './progress.ts';

const gibibyte = 1024 ** 3;
const wantedMemoryBytes = 2 * gibibyte;
const wantedDiskBytes = 8 * gibibyte;
const wantedDiskWhenBuiltBytes = 3 * gibibyte;
/** Two kubelets, two containerds and their pods share one limit, since they run as one user. */
const wantedInotifyInstances = 128;

export type Finding = { readonly severity: 'missing' | 'warning'; readonly what: string; readonly remedy: string };

export const findProgram = (program: string): string | undefined => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
};

export const isRoot = (): boolean => process.getuid?.() === 0;

const installer = `run as root: ${join(sourceDir, 'install-packages.sh')}`;

const checkGo = async (): Promise<Finding[]> => {
  if ((await findUnbuilt()).length === 0 || findProgram('go') !== undefined) return [];
  return [{ severity: 'missing', what: 'the go command (1.24 or later)', remedy: 'install Go and put it on the PATH' }];
};

const checkDocker = (dockerAnswers: boolean): Finding[] => {
  if (dockerAnswers) return [];
  const what = 'a Docker daemon: none answers';
  if (!isRoot())
    return [{ severity: 'missing', what, remedy: 'start Docker, or run this as root to have one started' }];
  if (findProgram('dockerd') !== undefined) return [];
  return [{ severity: 'missing', what: `${what}, and there is no dockerd to start`, remedy: installer }];
};

const checkResources = async (): Promise<Finding[]> => {
  const findings: Finding[] = [];
  if (freemem() < wantedMemoryBytes) {
    const free = (freemem() / gibibyte).toFixed(1);
    findings.push({
      severity: 'warning',
      what: `memory: ${free} GiB free, 2 GiB wanted`,
      remedy: 'end other programs',
    });
  }
  await mkdir(cacheDir(), { recursive: true });
  const disk = statfsSync(cacheDir());
  const freeBytes = disk.bavail * disk.bsize;
  const wantedBytes = (await findUnbuilt()).length > 0 ? wantedDiskBytes : wantedDiskWhenBuiltBytes;
  if (freeBytes < wantedBytes) {
    const what = `disk: ${(freeBytes / gibibyte).toFixed(1)} GiB free in ${cacheDir()}, ${wantedBytes / gibibyte} GiB wanted`;
    findings.push({
      severity: 'missing',
      what,
      remedy: 'free some, or set DYNAMIC_NETWORKS_CACHE to a roomier folder',
    });
  }
  return findings;
};

const checkKernel = (): Finding[] => {
  if (process.platform !== 'linux') {
    const what = `Linux: this is ${process.platform}, and the harness mounts folders into containers and reaches their addresses`;
    return [{ severity: 'missing', what, remedy: 'run it on a Linux machine' }];
  }
  const findings: Finding[] = [];
  const limitFile = '/proc/sys/fs/inotify/max_user_instances';
  const limit = existsSync(limitFile) ? Number(readFileSync(limitFile, 'utf8')) : wantedInotifyInstances;
  if (limit < wantedInotifyInstances) {
    const remedy = `sysctl -w fs.inotify.max_user_instances=${wantedInotifyInstances * 4}`;
    findings.push({ severity: 'warning', what: `inotify instances: ${limit} allowed, few for two nodes`, remedy });
  }
  return findings;
};

export const checkMachine = async (facts: { readonly dockerAnswers: boolean }): Promise<readonly Finding[]> => [
  ...checkKernel(),
  ...checkDocker(facts.dockerAnswers),
  ...(await checkGo()),
  ...(await checkResources()),
];

/** Says every finding, and refuses to go on when something is missing. */
export const requireMachine = async (facts: { readonly dockerAnswers: boolean }): Promise<void> => {
  const findings = await checkMachine(facts);
  const tell = ({ severity, what, remedy }: Finding): string => `${severity}: ${what}\n    remedy: ${remedy}`;
  for (const finding of findings) say(tell(finding));
  const missing = findings.filter(({ severity }) => severity === 'missing');
  if (missing.length > 0) throw new Error(`this machine cannot run the cluster yet\n${missing.map(tell).join('\n')}`);
};
