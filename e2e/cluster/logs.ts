// Everything that helps to understand a failure, from every component, in one folder.

import { createWriteStream } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ContainerRuntimeClient } from 'testcontainers';
import { type ClusterState, clusterDir } from './cluster-state.ts';
import { daemonDir } from './paths.ts';
import { tryCommand } from './run-command.ts';

const nodeQuestions: Readonly<Record<string, string>> = {
  'processes.txt': 'ps -ef',
  'network.txt': 'ip -d address; ip route; ip neigh; bridge link',
  'iptables.txt': 'iptables-save',
  'mounts.txt': 'cat /proc/self/mountinfo',
  'containers.txt': 'ctr -n k8s.io containers ls; ctr -n k8s.io tasks ls; ctr -n k8s.io images ls',
  'cni.txt':
    'for f in $(find /etc/cni /var/lib/cni /run/multus -type f ! -name "*token*" ! -name "*.key"); do echo "== $f"; head -c 4000 "$f"; echo; done',
};

const clusterQuestions: Readonly<Record<string, readonly string[]>> = {
  'nodes.yaml': ['get', 'nodes', '-o', 'yaml'],
  'pods.txt': ['get', 'pods', '-A', '-o', 'wide'],
  'pods.yaml': ['get', 'pods', '-A', '-o', 'yaml'],
  'events.txt': ['get', 'events', '-A', '--sort-by=.metadata.creationTimestamp'],
  'networks.yaml': ['get', 'network-attachment-definitions', '-A', '-o', 'yaml'],
  'ip-pools.yaml': ['get', 'ippools.whereabouts.cni.cncf.io', '-A', '-o', 'yaml'],
  'virtual-machines.yaml': ['get', 'vm,vmi,vmim', '-A', '-o', 'yaml'],
  'workloads.txt': ['describe', 'daemonsets,deployments', '-A'],
};

const collectFromNode = async (
  client: ContainerRuntimeClient,
  state: ClusterState,
  node: ClusterState['nodes'][number],
  dir: string,
): Promise<void> => {
  await mkdir(dir, { recursive: true });
  const attempts: Promise<unknown>[] = [
    cp(join(clusterDir(state.name), node.name, 'log'), join(dir, 'services'), { recursive: true }),
  ];
  const container = client.container.getById(node.containerId);
  for (const [file, script] of Object.entries(nodeQuestions)) {
    const ask = async () => {
      const { output } = await client.container.exec(container, ['sh', '-c', script]);
      await writeFile(join(dir, file), output);
    };
    attempts.push(ask());
  }
  const podLogs = async () => {
    const archive = join(dir, 'pods.tar');
    await pipeline(await client.container.fetchArchive(container, '/var/log/pods'), createWriteStream(archive));
    await tryCommand(['tar', '-C', dir, '--no-same-owner', '-xf', archive]);
  };
  attempts.push(podLogs());
  const containerLog = async () => {
    const log = await container.logs({ stdout: true, stderr: true });
    await writeFile(join(dir, 'container.log'), log);
  };
  attempts.push(containerLog());
  // Whatever cannot be had any more (the container may be dead) must not keep the rest away.
  await Promise.allSettled(attempts);
};

/** Never fails on account of a part that is broken: that part is what one wants to look into. */
export const collectLogs = async (client: ContainerRuntimeClient, state: ClusterState, dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true });
  const questions = Object.entries(clusterQuestions).map(async ([file, args]) => {
    const command = [state.kubectlPath, '--kubeconfig', state.kubeconfigPath, '--request-timeout=5s', ...args];
    const { stdout, stderr } = await tryCommand(command);
    await writeFile(join(dir, file), stdout + stderr);
  });
  const nodes = state.nodes.map((node) => collectFromNode(client, state, node, join(dir, node.name)));
  const daemon = cp(join(daemonDir(), 'dockerd.log'), join(dir, 'dockerd.log'));
  await Promise.allSettled([...questions, ...nodes, daemon]);
};
