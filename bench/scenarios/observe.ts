// Wraps a piece of work with everything that is read before and after it: calls, CPU time, and when it was all over.
import { loadavg } from 'node:os';
import { percentile } from '../percentiles.ts';
import type { BenchWorld, Calls, Timing } from '../world.ts';
import { QUIET_MS } from './scenario.ts';

export type Values = Record<string, number>;

/** Of the minute before: whoever reads a time must know what else the machine had to do. */
export const machineLoad = (): number => loadavg()[0] ?? Number.NaN;

export interface ObserveOptions {
  /** Calls and CPU time are told per plug; 1 tells them as they are. */
  readonly per: number;
}

export const observe = async <T>(
  world: BenchWorld,
  work: () => Promise<T>,
  { per }: ObserveOptions,
): Promise<{ readonly result: T; readonly values: Values }> => {
  await world.settle(QUIET_MS);
  await world.beginMeasuring();
  const [agentBefore, serverBefore] = [await world.agentCpuMs(), await world.serverCpuMs()];
  const load = machineLoad();
  const result = await work();
  await world.settle(QUIET_MS);
  const [agentAfter, serverAfter] = [await world.agentCpuMs(), await world.serverCpuMs()];
  const values: Values = { ...callValues(await world.calls(), per), load };
  if (agentBefore !== undefined && agentAfter !== undefined) values['agentCpuMs'] = (agentAfter - agentBefore) / per;
  if (serverBefore !== undefined && serverAfter !== undefined) {
    values['serverCpuMs'] = (serverAfter - serverBefore) / per;
  }
  return { result, values };
};

/** Everything that is not named ends up in `other`, so that no call goes unseen. */
export const callValues = (calls: Calls | undefined, per: number): Values => {
  if (calls === undefined) return {};
  const { cri, multus, api } = calls;
  const named = { patches: 'patch pods', events: 'create events', podLists: 'list pods', nadLists: NADS };
  const watches = sumOf(api, (key) => key.startsWith('watch '));
  const known = Object.fromEntries(Object.entries(named).map(([name, key]) => [name, api[key] ?? 0]));
  const seen = Object.values(known).reduce((sum, count) => sum + count, watches);
  const { ListPodSandbox: criLists = 0, PodSandboxStatus: criStatuses = 0 } = cri;
  const counts = {
    criLists,
    criStatuses,
    criOther: sumOf(cri) - criLists - criStatuses,
    multusCalls: sumOf(multus),
    ...known,
    watches,
    apiOther: sumOf(api) - seen,
  };
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / per]));
};

const NADS = 'list network-attachment-definitions';

const sumOf = (counts: Readonly<Record<string, number>>, isMeant: (key: string) => boolean = () => true): number =>
  Object.entries(counts).reduce((sum, [key, count]) => sum + (isMeant(key) ? count : 0), 0);

export const latencyValues = ({ totalMs, latenciesMs }: Timing): Values => ({
  totalMs,
  p50Ms: percentile(latenciesMs, 50),
  p90Ms: percentile(latenciesMs, 90),
  p99Ms: percentile(latenciesMs, 99),
});
