// What the kernel counts for a process, as /proc/<pid>/status and /proc/<pid>/stat tell it.
import type { Memory } from './world.ts';

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const msPerTick = 10;

export const memoryIn = (status: string): Memory => {
  const mib = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { rssMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
};

/** The name, in brackets, may hold blanks; user and system time are the 14th and 15th field. */
export const cpuMsIn = (stat: string): number => {
  const fields = stat.trim().split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
};

/** The process group, the fifth field. */
export const groupIn = (stat: string): number => Number(stat.trim().split(') ').at(-1)?.split(' ')[2]);
