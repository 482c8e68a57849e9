// Machines and StatefulSets on the embedded cluster, with the controller that gives them addresses. The world plays the garbage
// collector: it deletes what belonged to an object that is gone.
import type { KubeObject } from '../../embedded/api/object-store.ts';
import { isJsonObject } from '../../model/json.ts';
import type { SpecObject } from '../../vm/test-machines.ts';
import { MACHINE_KINDS, MachineWorld } from '../vm/machine-world.ts';

const namespace = 'default';

export const CLAIM_KINDS = [
  ...MACHINE_KINDS,
  {
    group: 'k8s.cni.cncf.io',
    version: 'v1alpha1',
    plural: 'ipamclaims',
    kind: 'IPAMClaim',
    namespaced: true,
    statusSubresource: true,
  },
  {
    group: 'apps',
    version: 'v1',
    plural: 'statefulsets',
    kind: 'StatefulSet',
    namespaced: true,
    statusSubresource: true,
    builtin: true,
  },
];

export interface ShownCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export class ClaimsWorld {
  readonly machines: MachineWorld;
  readonly #collector: NodeJS.Timeout;

  private constructor(machines: MachineWorld) {
    this.machines = machines;
    this.#collector = setInterval(() => this.#collect(), 20);
  }

  static async start(options: { readonly controller?: false } = {}): Promise<ClaimsWorld> {
    const machines = await MachineWorld.start(['VMPersistentIPs'], { kinds: CLAIM_KINDS, ...options });
    return new ClaimsWorld(machines);
  }

  get cluster() {
    return this.machines.world.cluster;
  }

  get objects() {
    return this.cluster.objects;
  }

  /** A network of ours with these fields in its config. */
  network(name: string, config: object): void {
    const base = { cniVersion: '0.3.1', name: `net-${name}`, type: 'bridge', bridge: `br-${name}`, ipam: {} };
    this.cluster.createNad({ name, config: { ...base, allowPersistentIPs: true, ...config } });
  }

  editNetwork(name: string, config: object): void {
    this.objects.modify({ resource: 'network-attachment-definitions', namespace, name }, (draft) => {
      const before: unknown = JSON.parse(String(draft.spec?.['config']));
      draft.spec = { config: JSON.stringify({ ...(isJsonObject(before) ? before : {}), ...config }) };
    });
  }

  /** A machine that is defined and does not run. */
  define(name: string, spec: SpecObject, annotations: Readonly<Record<string, string>> = {}): KubeObject {
    return this.objects.create('virtualmachines', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace, name },
      spec: {
        runStrategy: 'Halted',
        template: { metadata: { annotations: { ...annotations } }, spec: structuredClone(spec) },
      },
    });
  }

  remove(resource: string, name: string): void {
    this.objects.remove({ resource, namespace, name });
  }

  findClaim(name: string): KubeObject | undefined {
    return this.objects.find({ resource: 'ipamclaims', namespace, name });
  }

  claim(name: string): KubeObject {
    const found = this.findClaim(name);
    if (found === undefined) throw new Error(`no such claim: ${name}`);
    return found;
  }

  claimNames(): string[] {
    return this.objects
      .list('ipamclaims')
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  ips(name: string): readonly string[] {
    const ips = this.findClaim(name)?.status?.['ips'];
    return Array.isArray(ips) ? ips.map(String) : [];
  }

  condition(name: string): ShownCondition | undefined {
    const conditions = this.findClaim(name)?.status?.['conditions'];
    const found = (Array.isArray(conditions) ? conditions : []).find((entry) => entry.type === 'IPsAllocated');
    return found && { status: found.status, reason: found.reason, message: found.message };
  }

  /** Waits until the claim has addresses that its condition confirms, and gives them. */
  async allocated(name: string): Promise<readonly string[]> {
    await this.cluster.until(`${name} has addresses; it has ${JSON.stringify(this.condition(name))}`, () => {
      const ips = this.ips(name);
      return ips.length > 0 && this.condition(name)?.message === ips.join(', ');
    });
    return this.ips(name);
  }

  async refused(name: string, reason: string): Promise<ShownCondition> {
    return await this.cluster.until(`${name} is refused for ${reason}`, () => {
      const condition = this.condition(name);
      return condition?.status === 'False' && condition.reason === reason ? condition : undefined;
    });
  }

  async gone(name: string): Promise<void> {
    await this.cluster.until(`claim ${name} is gone`, () => this.findClaim(name) === undefined);
  }

  /** As a client with the right to: past finalizers. */
  forceRemove(name: string): void {
    this.editClaim(name, (draft) => {
      draft.metadata.finalizers = [];
    });
    if (this.findClaim(name) !== undefined) this.remove('ipamclaims', name);
  }

  editClaim(name: string, edit: (draft: KubeObject) => void): void {
    this.objects.modify({ resource: 'ipamclaims', namespace, name }, edit);
  }

  editIps(name: string, ips: readonly string[]): void {
    this.editClaim(name, (draft) => {
      draft.status = { ...draft.status, ips: [...ips] };
    });
  }

  /** Deletes claims whose owners are gone, as the garbage collector of Kubernetes does. */
  #collect(): void {
    const uids = new Set(
      ['virtualmachines', 'virtualmachineinstances', 'statefulsets'].flatMap((resource) =>
        this.objects.list(resource).map(({ metadata }) => metadata.uid),
      ),
    );
    for (const { metadata } of this.objects.list('ipamclaims')) {
      const owners = metadata.ownerReferences ?? [];
      const isOrphaned = owners.length > 0 && owners.every(({ uid }) => !uids.has(uid));
      if (isOrphaned && metadata.deletionTimestamp === undefined) this.remove('ipamclaims', metadata.name);
    }
  }

  events(name: string, reason: string): string[] {
    return this.machines.events(name, reason);
  }

  async told(name: string, reason: string): Promise<string> {
    return await this.cluster.until(`an event ${reason} about ${name}`, () => this.events(name, reason)[0]);
  }

  /** The end of each story: everything goes, by force. */
  async clean(): Promise<void> {
    for (const resource of ['virtualmachines', 'virtualmachineinstances', 'statefulsets']) {
      for (const { metadata } of this.objects.list(resource)) this.remove(resource, metadata.name);
    }
    for (const name of this.cluster.objects.list('pods', namespace).map(({ metadata }) => metadata.name)) {
      await this.cluster.deletePod({ namespace, name }, { force: true });
    }
    await this.cluster.until('no claims are left', () => {
      const left = this.objects.list('ipamclaims');
      for (const { metadata } of left) if (metadata.ownerReferences === undefined) this.forceRemove(metadata.name);
      return left.length === 0;
    });
    for (const { metadata } of this.objects.list('network-attachment-definitions')) {
      this.remove('network-attachment-definitions', metadata.name);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#collector);
    await this.machines.stop();
  }
}
