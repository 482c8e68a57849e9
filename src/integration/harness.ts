// An embedded cluster with the agent's real composition root on its sockets, and the questions that tests ask of the two.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFields } from '../config/agent-settings.ts';
import { loadSettings } from '../config/load-settings.ts';
import { agentFlags } from '../embedded/agent-under-test.ts';
import { type EmbeddedCluster, type EmbeddedClusterOptions, startEmbeddedCluster } from '../embedded/cluster.ts';
import { parsePodFile } from '../ledger/record-schema.ts';
import { type RunningAgent, startAgent } from '../main-agent.ts';
import type { PodRecord } from '../model/attachment-record.ts';
import type { InterfaceReport } from '../model/interface-report.ts';

export interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export class World {
  readonly cluster: EmbeddedCluster;
  #agent: RunningAgent | undefined;
  readonly #flags: Readonly<Record<string, string>>;

  private constructor(cluster: EmbeddedCluster, flags: Readonly<Record<string, string>>) {
    this.cluster = cluster;
    this.#flags = flags;
  }

  static async start(
    options: { cluster?: EmbeddedClusterOptions; flags?: Record<string, string>; agent?: false } = {},
  ): Promise<World> {
    const world = new World(await startEmbeddedCluster(options.cluster), options.flags ?? {});
    for (const [name, subnet] of [
      ['blue', '10.10.1.0/24'],
      ['red', '10.10.2.0/24'],
      ['green', '10.10.3.0/24'],
    ] as const) {
      world.cluster.createNad({ name, config: bridge(name, subnet) });
    }
    if (options.agent !== false) await world.startAgent();
    return world;
  }

  async startAgent(flags: Record<string, string> = {}): Promise<void> {
    const settings = await loadSettings(agentFields, {
      flags: agentFlags(this.cluster, { ...this.#flags, ...flags }),
      env: {},
      file: undefined,
    });
    this.#agent = await startAgent(settings);
  }

  get agent(): RunningAgent {
    if (this.#agent === undefined) throw new Error('no agent runs');
    return this.#agent;
  }

  async stopAgent(): Promise<void> {
    await this.#agent?.stop();
    this.#agent = undefined;
  }

  async stop(): Promise<void> {
    await this.stopAgent();
    await this.cluster.stop();
  }

  async pod(name: string, networks?: string | object[], options: Record<string, unknown> = {}): Promise<Ref> {
    const ref = { namespace: 'default', name };
    await this.cluster.createPod({
      ...ref,
      ...(networks === undefined ? {} : { networks: networks as string }),
      ...options,
    });
    return ref;
  }

  edit(ref: Ref, networks: string | object[] | undefined): void {
    this.cluster.editNetworks(ref, networks as string | undefined);
  }

  /** Interfaces in the pod's own netns, but for lo and the default one: what the kernel says. */
  links(ref: Ref): string[] {
    return this.cluster
      .links(ref)
      .map(({ name }) => name)
      .filter((name) => name !== 'eth0')
      .sort();
  }

  /** Interfaces in network-status, but for the default one, with their network. */
  status(ref: Ref): Record<string, string> {
    const entries = this.cluster.networkStatus(ref).filter((entry) => entry.default !== true);
    return Object.fromEntries(entries.map((entry) => [entry.interface ?? '', entry.name]));
  }

  reports(ref: Ref): InterfaceReport[] {
    const text = this.cluster.pod(ref).metadata.annotations?.['dynamic-networks.io/interfaces'];
    return text === undefined ? [] : JSON.parse(text);
  }

  condition(ref: Ref): { status: string; reason: string; message: string } | undefined {
    const conditions = this.cluster.pod(ref).status?.['conditions'];
    return (conditions as { type: string; status: string; reason: string; message: string }[] | undefined)?.find(
      ({ type }) => type === 'dynamic-networks.io/NetworksReady',
    );
  }

  /** Messages of the agent's own events about this very pod, not about a predecessor of its name. */
  events(ref: Ref, reason: string): string[] {
    const { uid } = this.cluster.pod(ref).metadata;
    return this.cluster
      .events(ref)
      .filter((event) => {
        const source = event['source'] as { component?: string } | undefined;
        const subject = event['involvedObject'] as { uid?: string } | undefined;
        return event['reason'] === reason && source?.component === 'dynamic-networks' && subject?.uid === uid;
      })
      .map((event) => String(event['message']));
  }

  /** Addresses that the store says are taken on these networks. */
  addresses(): string[] {
    return this.cluster.ipam
      .inspect()
      .filter(({ network }) => network !== 'podnet')
      .map(({ address }) => address)
      .sort();
  }

  /** Waits until kernel and status both show exactly these interfaces. */
  async converged(ref: Ref, expected: Record<string, string>, timeoutMs?: number): Promise<void> {
    const wanted = JSON.stringify(Object.entries(expected).sort());
    await this.cluster.until(
      `${ref.name} has ${wanted}; links ${this.links(ref)}, status ${JSON.stringify(this.status(ref))}`,
      () =>
        JSON.stringify(Object.entries(this.status(ref)).sort()) === wanted &&
        JSON.stringify(this.links(ref)) === JSON.stringify(Object.keys(expected).sort()),
      timeoutMs,
    );
  }

  /** Deletes every pod that a test made and waits until the cluster has nothing of them left: the end of each story. */
  async clean(): Promise<void> {
    const pods = this.cluster.objects.list('pods', 'default').map(({ metadata }) => metadata.name);
    await Promise.all(pods.map((name) => this.cluster.deletePod({ namespace: 'default', name })));
    await this.cluster.until(
      'every address is returned',
      () => this.addresses().length === 0 && this.cluster.leaks().length === 0,
    );
    await this.cluster.until('the ledger is empty', async () => Object.keys(await this.ledger()).length === 0);
  }

  /**
   * What the agent's disk says, by pod name and interface. Only read: opening a ledger clears away half-written files, and
   * those are of an agent that is at work here.
   */
  async ledger(): Promise<Record<string, string>> {
    return Object.fromEntries(
      (await this.#records()).flatMap(({ name, attachments }) =>
        attachments.map((a) => [`${name}/${a.interface}`, a.state]),
      ),
    );
  }

  /** The CNI config that an interface was plugged with. */
  async recordedConfig(ref: Ref, name: string): Promise<unknown> {
    const record = (await this.#records()).find((one) => one.name === ref.name && one.namespace === ref.namespace);
    return JSON.parse(record?.attachments.find((attachment) => attachment.interface === name)?.config ?? 'null');
  }

  async #records(): Promise<readonly PodRecord[]> {
    const directory = agentFlags(this.cluster)['ledgerDir'] ?? '';
    const files = await readdir(directory).catch(() => []);
    const records = await Promise.all(
      files
        .filter((file) => file.endsWith('.json'))
        .map(async (file) => {
          const text = await readFile(join(directory, file), 'utf8').catch(() => undefined); // removed meanwhile
          return text === undefined ? [] : [parsePodFile(text)];
        }),
    );
    return records.flat();
  }
}

export const bridge = (name: string, subnet: string): Record<string, unknown> => ({
  cniVersion: '0.3.1',
  name,
  type: 'bridge',
  bridge: `br-${name}`,
  ipam: { type: 'host-local', ranges: [[{ subnet }]] },
});
