// Virtual machines by the thousand on an embedded API server. No node is simulated: launcher pods run, and what agents and
// Multus of many nodes would write into their annotations is written here at once, so that the controller alone is measured.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedApiServer, startApiServer } from '../src/embedded/api/api-server.ts';
import type { KubeObject } from '../src/embedded/api/object-store.ts';
import { isJsonObject } from '../src/model/json.ts';
import { elementsIn } from '../src/vm/networks-annotation.ts';

const namespace = 'default';
const kubevirt = { group: 'kubevirt.io', version: 'v1', namespaced: true } as const;
const NETWORKS = 'k8s.v1.cni.cncf.io/networks';
const STATUS = 'k8s.v1.cni.cncf.io/network-status';

const specWith = (interfaces: readonly object[], networks: readonly string[]): object => ({
  domain: {
    devices: { interfaces: [{ name: 'default', masquerade: {} }, ...interfaces] },
    resources: { requests: { memory: '1Gi' } },
  },
  networks: [
    { name: 'default', pod: {} },
    ...networks.map((name) => ({ name, multus: { networkName: `nad-${name}` } })),
  ],
});
const specOn = (...names: readonly string[]): object =>
  specWith(
    names.map((name) => ({ name, bridge: {} })),
    names,
  );

export class VmCluster {
  readonly api: EmbeddedApiServer;
  readonly kubeconfig: string;
  readonly #dir: string;
  readonly #names: readonly string[];
  /** Machines that have multus-status for a network, by network: kept by changes, for a look at all would cost more than they do. */
  readonly #plugged = new Map<string, Set<string>>();

  private constructor(api: EmbeddedApiServer, count: number) {
    this.api = api;
    this.#names = Array.from({ length: count }, (_, index) => `vm-${index}`);
    this.#dir = mkdtempSync(join(tmpdir(), 'bench-vms-'));
    this.kubeconfig = join(this.#dir, 'kubeconfig');
    writeFileSync(this.kubeconfig, api.kubeconfig({ token: 'embedded-admin' }), { mode: 0o600 });
    api.objects.subscribe(({ resource, object }) => {
      if (resource === 'pods') this.#report(object);
      if (resource === 'virtualmachineinstances') this.#note(object);
    });
  }

  static async start(count: number): Promise<VmCluster> {
    const kind = (plural: string, name: string) => ({
      ...kubevirt,
      plural,
      kind: name,
      statusSubresource: plural !== 'virtualmachineinstances',
    });
    const api = await startApiServer({
      resources: [
        kind('virtualmachines', 'VirtualMachine'),
        kind('virtualmachineinstances', 'VirtualMachineInstance'),
        kind('virtualmachineinstancemigrations', 'VirtualMachineInstanceMigration'),
        kind('kubevirts', 'KubeVirt'),
      ],
    });
    api.objects.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    api.objects.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dynamic-networks' } });
    const cluster = new VmCluster(api, count);
    for (const name of cluster.#names) cluster.#run(name);
    return cluster;
  }

  #run(name: string): void {
    const { objects } = this.api;
    const ref = ({ apiVersion, kind, metadata }: KubeObject) => [
      { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true },
    ];
    const of = (kind: string) => ({ apiVersion: 'kubevirt.io/v1', kind });
    const vm = objects.create('virtualmachines', {
      ...of('VirtualMachine'),
      metadata: { namespace, name },
      spec: { template: { spec: specOn('blue') } },
    });
    const vmi = objects.create('virtualmachineinstances', {
      ...of('VirtualMachineInstance'),
      metadata: { namespace, name, ownerReferences: ref(vm) },
      spec: { ...specOn('blue') },
      status: { phase: 'Running' },
    });
    const element = { name: 'nad-blue', namespace, interface: 'pod16477688c0e' };
    objects.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: `virt-launcher-${name}`,
        labels: { 'kubevirt.io': 'virt-launcher' },
        ownerReferences: ref(vmi),
        annotations: { [NETWORKS]: JSON.stringify([element]) },
      },
      spec: { nodeName: 'node-x', containers: [{ name: 'compute', image: 'launcher' }] },
      status: { phase: 'Running', containerStatuses: [{ name: 'compute', state: { running: {} }, ready: true }] },
    });
  }

  /** As the agent of its node would: what is asked for is there. */
  #report({ metadata }: KubeObject): void {
    const asked = elementsIn(metadata.annotations?.[NETWORKS] ?? '');
    const entries = [
      { name: 'podnet', interface: 'eth0', default: true, dns: {} },
      ...asked.map((element) => ({
        name: `${element['namespace']}/${element['name']}`,
        interface: element['interface'],
        dns: {},
      })),
    ];
    const text = JSON.stringify(entries);
    if (metadata.annotations?.[STATUS] === text) return;
    setImmediate(() =>
      this.api.objects.modify({ resource: 'pods', namespace, name: metadata.name }, (draft) => {
        draft.metadata.annotations = { ...draft.metadata.annotations, [STATUS]: text };
      }),
    );
  }

  #note({ metadata, status }: KubeObject): void {
    const list = status?.['interfaces'];
    const entries = Array.isArray(list) ? list.filter(isJsonObject) : [];
    for (const machines of this.#plugged.values()) machines.delete(metadata.name);
    for (const { name, infoSource } of entries) {
      if (!String(infoSource ?? '').includes('multus-status')) continue;
      const machines = this.#plugged.get(String(name)) ?? new Set();
      this.#plugged.set(String(name), machines.add(metadata.name));
    }
  }

  /** Resolves when exactly `share` of all machines tell of the network. */
  async told(network: string, count: number): Promise<void> {
    const isSo = () => (this.#plugged.get(network)?.size ?? 0) === count;
    if (isSo()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = this.api.objects.subscribe(() => {
      if (isSo()) resolve();
    });
    await promise;
    end();
  }

  setTemplates(spec: 'blue' | 'blue and red' | 'red absent'): void {
    const bridge = (name: string, more: object = {}) => ({ name, bridge: {}, ...more });
    const specs = {
      blue: specOn('blue'),
      'blue and red': specOn('blue', 'red'),
      'red absent': specWith([bridge('blue'), bridge('red', { state: 'absent' })], ['blue', 'red']),
    };
    for (const name of this.#names) {
      this.api.objects.modify({ resource: 'virtualmachines', namespace, name }, (draft) => {
        draft.spec = { template: { spec: structuredClone(specs[spec]) } };
      });
    }
  }

  async stop(): Promise<void> {
    await this.api.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
