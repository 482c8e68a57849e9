// A running node: commands in it, its processes, its pods' network namespaces, its address stores.
import type { ContainerRuntimeClient } from 'testcontainers';
import { inNode, type NodeName } from './layout.ts';
import { makeNodeCommand } from './node-command.ts';
import { makeNodeTools, type Sandbox } from './node-tools.ts';
import { pollUntil } from './poll-until.ts';
import type { CommandResult } from './run-command.ts';
import type { ServiceName } from './services.ts';

export type Link = {
  readonly ifname: string;
  readonly mac: string;
  readonly isUp: boolean;
  readonly mtu: number;
  readonly addresses: readonly string[];
};

export type DelegateReply = { readonly status: number; readonly body: string };

export type ClusterNode = ReturnType<typeof makeNode>;

const stopDeadlineMs = 30_000;

export const makeNode = (client: ContainerRuntimeClient, name: NodeName, containerId: string, ip: string) => {
  const container = client.container.getById(containerId);
  const exec = makeNodeCommand(client, containerId);

  /** Like `exec`, but a failure is an error and only the output comes back. */
  const run = async (command: readonly string[]): Promise<string> => {
    const result = await exec(command);
    if (result.exitCode === 0) return result.stdout;
    throw new Error(
      `${name}: ${command.join(' ')} ended with status ${result.exitCode}\n${result.stderr || result.stdout}`,
    );
  };

  const tools = makeNodeTools(name, run);

  const findPid = async (service: ServiceName): Promise<number | undefined> => {
    const { exitCode, stdout } = await exec(['cat', `/run/supervise/${service}.pid`]);
    return exitCode === 0 ? Number(stdout) : undefined;
  };

  const startService = (service: ServiceName): Promise<string> =>
    run(['sh', '-c', 'rm -f "/run/supervise/$1.down"; echo "$1" > /run/supervise/control', 'sh', service]);

  /** The supervisor brings it back half a second later. */
  const killService = async (service: ServiceName, signal = 'KILL'): Promise<void> => {
    const pid = await findPid(service);
    if (pid === undefined) throw new Error(`${name}: ${service} does not run`);
    await run(['kill', `-${signal}`, String(pid)]);
  };

  /** Down until `startService`. A crash rather than a courtesy: an API server takes half a minute to end politely. */
  const stopService = async (service: ServiceName, signal = 'KILL'): Promise<void> => {
    await run(['touch', `/run/supervise/${service}.down`]);
    const pid = await findPid(service);
    if (pid !== undefined) await exec(['kill', `-${signal}`, String(pid)]);
    const isGone = async () => {
      const marker = await exec(['test', '-e', `/run/supervise/${service}.supervised`]);
      return marker.exitCode === 0 ? undefined : true;
    };
    await pollUntil(`${service} on ${name} to end`, isGone, { deadlineMs: stopDeadlineMs, intervalMs: 100 });
  };

  const restartService = async (service: ServiceName): Promise<void> => {
    await stopService(service);
    await startService(service);
  };

  const getSandbox = async (podUid: string): Promise<Sandbox> => {
    const [newest] = await tools.sandboxes(podUid);
    if (newest === undefined) throw new Error(`${name}: no sandbox for the pod with uid ${podUid}`);
    return newest;
  };

  /** Links and addresses inside the pod's network namespace. */
  const netns = async (podUid: string): Promise<readonly Link[]> => {
    const { netnsPath } = await getSandbox(podUid);
    return parseLinks(await run(['nsenter', `--net=${netnsPath}`, 'ip', '-json', 'address', 'show']));
  };

  const inNetns = async (podUid: string, command: readonly string[]): Promise<CommandResult> => {
    const { netnsPath } = await getSandbox(podUid);
    return exec(['nsenter', `--net=${netnsPath}`, ...command]);
  };

  /** Address -> "<container id> <interface>" for one host-local network; empty when the store does not exist. */
  const hostLocalStore = async (network: string): Promise<Readonly<Record<string, string>>> => {
    const script =
      'cd "$1" 2>/dev/null || exit 0; for f in *.* *:*; do [ -f "$f" ] && echo "$f" $(tr -d "\\r" <"$f"); done; true';
    const listing = await run(['sh', '-c', script, 'sh', `${inNode.hostLocalStore}/${network}`]);
    return Object.fromEntries(
      listing
        .split('\n')
        .filter((line) => /^[0-9a-f.:]+ /.test(line))
        .map((line) => {
          const [address = '', id = '', ifname = ''] = line.split(' ');
          return [address, `${id} ${ifname}`.trim()];
        }),
    );
  };

  /** One raw request to Multus' socket, as a hot-plug agent would make it. */
  const delegate = async (request: object): Promise<DelegateReply> => {
    const url = 'http://multus/delegate';
    const body = JSON.stringify(request);
    const curl = [
      'curl',
      '-sS',
      '--unix-socket',
      inNode.multusSocket,
      '-w',
      '\n%{http_code}',
      '--data-binary',
      body,
      url,
    ];
    const reply = await run([...curl.slice(0, -1), '-H', 'Content-Type: application/json', url]);
    const end = reply.lastIndexOf('\n');
    return { status: Number(reply.slice(end + 1)), body: reply.slice(0, end) };
  };

  return {
    ...tools,
    name,
    containerId,
    ip,
    exec,
    findPid,
    startService,
    killService,
    stopService,
    restartService,
    netns,
    inNetns,
    hostLocalStore,
    delegate,
    /** Like a power cut: every process dies. */
    powerOff: async (): Promise<void> => {
      await container.kill();
    },
    /** Like a boot: /run is empty, disks are as they were. */
    powerOn: async (): Promise<void> => {
      await container.start();
    },
    reboot: async (): Promise<void> => {
      await container.kill();
      await container.start();
    },
    importImage: (archive: string): Promise<string> => tools.ctr('images', 'import', `${inNode.images}/${archive}`),
  };
};

const parseLinks = (text: string): readonly Link[] => {
  const links: {
    ifname: string;
    address?: string;
    flags: string[];
    mtu: number;
    addr_info?: { local: string; prefixlen: number }[];
  }[] = JSON.parse(text);
  return links.map((link) => ({
    ifname: link.ifname,
    mac: link.address ?? '',
    isUp: link.flags.includes('UP'),
    mtu: link.mtu,
    addresses: (link.addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  }));
};
