import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentProcess } from '../agent-process.ts';
import type { Measurement } from '../measurement.ts';
import { VmCluster } from '../vm-cluster.ts';
import { QUIET_MS, type Scenario } from './scenario.ts';

const MACHINES = 1000;
const bundle = resolve(import.meta.dirname, '../../dist/dynamic-networks.mjs');

export const vms: Scenario = {
  name: 'vms',
  description: `${MACHINES} virtual machines with the gate HotplugNICs: the controller’s start, one interface more in each, one less`,
  podCounts: () => [MACHINES],
  run: async ({ pods: machines, progress }) => {
    const cluster = await VmCluster.start(machines);
    const controller = await AgentProcess.start({
      bundle,
      role: 'controller',
      // What deploy/controller/deployment.yaml starts it with.
      nodeFlags: ['--max-old-space-size=256'],
      env: {},
      settings: {
        podNamespace: 'dynamic-networks',
        podName: 'bench',
        kubeconfig: cluster.kubeconfig,
        featureGates: 'HotplugNICs=true',
        listen: '127.0.0.1:0',
        logLevel: 'info',
      },
    });
    try {
      const rows: Measurement[] = [];
      const measure = async (step: string, act: () => Promise<void>): Promise<void> => {
        progress(step);
        const { calls } = cluster.api;
        const [cpu, first] = [controller.cpuMs ?? 0, calls.all.length];
        const began = performance.now();
        await act();
        const totalMs = performance.now() - began;
        await quiet(cluster);
        const made = calls.all.slice(first).filter(({ resource }) => resource !== 'leases');
        const per = (predicate: (call: (typeof made)[number]) => boolean) => made.filter(predicate).length / machines;
        rows.push({
          scenario: 'vms',
          pods: machines,
          step,
          values: {
            totalMs,
            controllerCpuMs: (controller.cpuMs ?? 0) - cpu,
            ...(controller.memory && { rssMiB: controller.memory.rssMiB, peakMiB: controller.memory.peakMiB }),
            patches: per(({ verb, resource }) => verb === 'patch' && resource !== 'virtualmachineinstances'),
            vmiPatches: per(({ verb, resource }) => verb === 'patch' && resource === 'virtualmachineinstances'),
            conflicts: per(({ verb, status = 0 }) => verb === 'patch' && status >= 400),
            apiOther: per(({ verb }) => verb !== 'patch'),
          },
        });
      };
      await measure('start', () => cluster.told('blue', machines));
      await measure('plug 1', async () => {
        cluster.setTemplates('blue and red');
        await cluster.told('red', machines);
      });
      await measure('unplug', async () => {
        cluster.setTemplates('red absent');
        await cluster.told('red', 0);
      });
      await measure('idle 5 s', () => delay(5000));
      return rows;
    } finally {
      await controller.stop();
      await cluster.stop();
    }
  },
};

/** Until nothing was called for a while: the last machine to tell is not the last to be written. */
const quiet = async (cluster: VmCluster): Promise<void> => {
  const count = () => cluster.api.calls.all.filter(({ resource }) => resource !== 'leases').length;
  for (let before = -1; before !== count(); ) {
    before = count();
    await delay(QUIET_MS);
  }
};
