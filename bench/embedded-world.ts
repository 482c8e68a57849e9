// The embedded cluster in one child process, the bundled agent in another, and the floor's client here.
// Promise: after `stop` no process and no file of it is left.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { AgentProcess, type AgentProcessOptions } from './agent-process.ts';
import type { ClusterService } from './cluster-service.ts';
import { sendAll } from './floor.ts';
import { connect } from './ipc.ts';
import type { BenchWorld } from './world.ts';

export type EmbeddedWorldOptions = Omit<AgentProcessOptions, 'settings'>;

const childModule = resolve(import.meta.dirname, 'cluster-child.ts');

export const startEmbeddedWorld = async (options: EmbeddedWorldOptions): Promise<BenchWorld> => {
  const child = fork(childModule, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const cluster = connect<ClusterService>(child);
  const [greeting] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof greeting !== 'object') throw new Error('the embedded cluster did not start');
  let agent: AgentProcess | undefined;

  const stopAgent = async (): Promise<void> => {
    await agent?.stop();
    agent = undefined;
  };
  return {
    // What a sync of the ledger costs depends on it.
    description: `embedded cluster, ledger on ${await cluster.ledgerFilesystem()}`,
    // It is compiled as it runs.
    warmUpCommands: 300,
    createPods: cluster.createPods,
    measureFloor: async (pods, { interfaces, parallel }) => {
      const how = { socketPath: await cluster.multusSocket(), parallel };
      const adds = await cluster.delegateBodies('ADD', pods, interfaces);
      const dels = await cluster.delegateBodies('DEL', pods, interfaces);
      await cluster.beginMeasuring();
      return { add: await sendAll(adds, how), del: await sendAll(dels, how) };
    },
    startAgent: async () => {
      if (agent !== undefined) throw new Error('an agent runs already');
      agent = await AgentProcess.start({ ...options, settings: await cluster.agentFlags() });
      return { readyMs: agent.readyMs };
    },
    stopAgent,
    edit: cluster.edit,
    settle: cluster.settle,
    beginMeasuring: cluster.beginMeasuring,
    calls: cluster.calls,
    agentCpuMs: async () => agent?.cpuMs,
    agentMemory: async () => agent?.memory,
    serverCpuMs: cluster.cpuMs,
    slowMultus: cluster.slowMultus,
    verify: async () => {
      const leaks = await cluster.findLeaks();
      if (leaks.length > 0) throw new Error(`the world contradicts itself:\n${leaks.join('\n')}`);
    },
    stop: async () => {
      await stopAgent();
      await cluster.stop();
      child.disconnect();
      await once(child, 'exit');
    },
  };
};
