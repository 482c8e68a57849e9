// One node of the embedded cluster: kernel, IPAM, Multus, container runtime and kubelet, with their sockets and files in
// one directory. Promise: after `stop` no server runs and no socket is left.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStore } from '../api/object-store.ts';
import { CriRuntime } from './cri-runtime.ts';
import { DevicePool } from './device-pool.ts';
import { IpamStore } from './ipam-store.ts';
import type { JsonObject } from './json-values.ts';
import { Kernel } from './kernel.ts';
import { Kubelet } from './kubelet.ts';
import { LifecycleHolds } from './lifecycle-holds.ts';
import { MultusDaemon } from './multus-daemon.ts';
import { timestamp } from './pod-status.ts';

export interface NodeOptions {
  /** The daemon's `cniVersion`, forced upon every hot-plugged config; "0.3.1" in Multus' standard installation. */
  readonly multusCniVersion?: string;
  /** Multus' own namespace isolation, with the namespaces whose networks everybody may use. */
  readonly namespaceIsolation?: { readonly globalNamespaces: readonly string[] };
  /** Further keys of the daemon's configuration file. */
  readonly multusConfig?: JsonObject;
  readonly multusEvents?: boolean;
  /** How long the daemon looks for a pod that is not there: 2500 in reality, 0 here unless told otherwise. */
  readonly multusPodLookupMs?: number;
  readonly defaultNetwork?: JsonObject;
  readonly hostLinks?: readonly string[];
  /** Resource name to device ids. */
  readonly devices?: Readonly<Record<string, readonly string[]>>;
}

export interface EmbeddedNode {
  readonly nodeName: string;
  readonly hostIp: string;
  readonly criSocket: string;
  readonly multusSocket: string;
  readonly multusCacheDir: string;
  /** The runtime's CNI directory, with the configuration that Multus' daemon writes there. */
  readonly cniConfigDir: string;
  readonly multusConfigPath: string;
  readonly kernel: Kernel;
  readonly ipam: IpamStore;
  readonly multus: MultusDaemon;
  readonly cri: CriRuntime;
  readonly kubelet: Kubelet;
  stop(): Promise<void>;
}

const maxSocketPath = 100;

export const podNetwork: JsonObject = {
  cniVersion: '1.0.0',
  name: 'podnet',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isDefaultGateway: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.0.0/16' }]] },
    },
  ],
};

const socketIn = (dir: string, name: string): string => {
  const path = join(dir, name);
  if (path.length >= maxSocketPath) throw new Error(`socket path must be under ${maxSocketPath} characters: ${path}`);
  return path;
};

const daemonConfig = (dir: string, options: NodeOptions): JsonObject => ({
  chrootDir: '/hostroot',
  cniVersion: options.multusCniVersion ?? '0.3.1',
  logLevel: 'verbose',
  logToStderr: true,
  cniConfigDir: '/host/etc/cni/net.d',
  multusAutoconfigDir: '/host/etc/cni/net.d',
  multusConfigFile: 'auto',
  socketDir: dir,
  ...(options.namespaceIsolation && {
    namespaceIsolation: true,
    globalNamespaces: options.namespaceIsolation.globalNamespaces.join(','),
  }),
  ...options.multusConfig,
});

export interface NodePlace {
  readonly nodeName: string;
  readonly hostIp: string;
  readonly dir: string;
  readonly store: ObjectStore;
}

export const startNode = async (place: NodePlace, options: NodeOptions = {}): Promise<EmbeddedNode> => {
  const { nodeName, hostIp, dir, store } = place;
  const [criSocket, multusSocket] = [socketIn(dir, 'cri.sock'), socketIn(dir, 'multus.sock')];
  const multusCacheDir = join(dir, 'multus-cache');
  const multusConfigPath = join(dir, 'daemon-config.json');
  mkdirSync(dir, { recursive: true });
  const serverConfig = daemonConfig(dir, options);
  writeFileSync(multusConfigPath, JSON.stringify(serverConfig, null, 4));
  const cniConfigDir = join(dir, 'cni');
  mkdirSync(cniConfigDir, { recursive: true });
  writeFileSync(join(cniConfigDir, '00-multus.conf'), JSON.stringify({ ...serverConfig, type: 'multus-shim' }));

  const kernel = new Kernel(options.hostLinks);
  const ipam = new IpamStore();
  const multus = new MultusDaemon({
    socketPath: multusSocket,
    cacheDir: multusCacheDir,
    store,
    kernel,
    ipam,
    serverConfig,
    defaultNetwork: options.defaultNetwork ?? podNetwork,
    isolation: options.namespaceIsolation,
    emitEvents: options.multusEvents ?? true,
    podLookupMs: options.multusPodLookupMs ?? 0,
  });
  const cri = new CriRuntime({ socketPath: criSocket });
  const devices = new DevicePool();
  for (const [resource, ids] of Object.entries(options.devices ?? {})) devices.add(resource, ids);
  const holds = new LifecycleHolds();
  const parts = { store, kernel, sandboxes: cri.sandboxes, multus, devices, holds, hostIp, nodeName };
  const kubelet = new Kubelet(parts);

  await Promise.all([multus.up(), cri.up()]);
  registerNode(place);
  kubelet.start();
  const stop = async (): Promise<void> => {
    kubelet.stop();
    await Promise.all([multus.stop(), cri.stop()]);
  };
  const paths = { criSocket, multusSocket, multusCacheDir, cniConfigDir, multusConfigPath };
  return { nodeName, hostIp, ...paths, kernel, ipam, multus, cri, kubelet, stop };
};

const registerNode = ({ nodeName, hostIp, store }: NodePlace): void => {
  const now = timestamp();
  store.create('nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nodeName, labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/arch': 'amd64' } },
    spec: {},
    status: {
      addresses: [
        { type: 'InternalIP', address: hostIp },
        { type: 'Hostname', address: nodeName },
      ],
      capacity: { cpu: '8', memory: '32Gi', pods: '1000' },
      allocatable: { cpu: '8', memory: '32Gi', pods: '1000' },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now, lastTransitionTime: now },
      ],
      nodeInfo: { containerRuntimeVersion: 'containerd://1.6.20~embedded', kubeletVersion: 'v1.34.4' },
    },
  });
};
