// The embedded cluster with an agent, a controller with gates, and virtual machines. Tests play KubeVirt's parts that no gate
// of ours has: making the running machine and its launcher pod (virt-controller), and attaching to the guest (virt-handler).
import { controllerFields } from '../../config/controller-settings.ts';
import { loadSettings } from '../../config/load-settings.ts';
import type { KubeObject } from '../../embedded/api/object-store.ts';
import type { ResourceDefinition } from '../../embedded/api/resource-registry.ts';
import { type RunningController, startController } from '../../main-controller.ts';
import { isJsonObject } from '../../model/json.ts';
import { NO_PLUGINS } from '../../vm/binding-plugins.ts';
import { parseNetworkSpec } from '../../vm/network-spec.ts';
import { renderNewPodNetworks } from '../../vm/plan-pod-networks.ts';
import type { VmInterfaceReport } from '../../vm/ready-report.ts';
import { bridge, masquerade, multus, podNetwork, type SpecObject, specObject } from '../../vm/test-machines.ts';
import { type Ref, World } from '../harness.ts';

const kubevirt = { group: 'kubevirt.io', version: 'v1', namespaced: true } as const;

/** As KubeVirt's CRDs say: a running machine has no status subresource. */
export const MACHINE_KINDS: readonly ResourceDefinition[] = [
  { ...kubevirt, plural: 'virtualmachines', kind: 'VirtualMachine', statusSubresource: true },
  { ...kubevirt, plural: 'virtualmachineinstances', kind: 'VirtualMachineInstance', statusSubresource: false },
  {
    ...kubevirt,
    plural: 'virtualmachineinstancemigrations',
    kind: 'VirtualMachineInstanceMigration',
    statusSubresource: true,
  },
  { ...kubevirt, plural: 'kubevirts', kind: 'KubeVirt', statusSubresource: true },
];

export const DEFINITIONS: ResourceDefinition = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  statusSubresource: true,
};

const namespace = 'default';

export interface MachineOptions {
  /** Names in the launcher pod, as old releases made them. */
  readonly ordinal?: boolean;
  /** Text of the pod's networks annotation; by default what KubeVirt renders. */
  readonly podNetworks?: string | undefined;
  readonly resources?: Readonly<Record<string, number>>;
}

/** `blue` and the like: on the network of that name, with a bridge. */
export const on = (...names: readonly string[]): SpecObject =>
  specObject(
    [podNetwork, ...names.map((name) => multus(name, name))],
    [masquerade, ...names.map((name) => bridge(name))],
  );

export class MachineWorld {
  readonly world: World;
  #controller: RunningController | undefined;
  readonly #gates: string;

  private constructor(world: World, gates: string) {
    this.world = world;
    this.#gates = gates;
  }

  static async start(
    gates: readonly string[],
    options: Parameters<typeof World.start>[0] & {
      readonly kinds?: readonly ResourceDefinition[];
      readonly controller?: false;
    } = {},
  ): Promise<MachineWorld> {
    const { kinds = MACHINE_KINDS, controller, ...rest } = options;
    const world = await World.start({
      ...rest,
      cluster: { ...rest.cluster, api: { ...rest.cluster?.api, resources: [...kinds] } },
    });
    const machines = new MachineWorld(world, gates.map((gate) => `${gate}=true`).join(','));
    if (controller !== false) await machines.startController();
    return machines;
  }

  async startController(): Promise<void> {
    const flags = {
      podNamespace: 'dynamic-networks',
      podName: 'controller-a',
      kubeconfig: this.world.cluster.kubeconfigPath,
      featureGates: this.#gates,
      // Given back at the end, so nobody waits for it; and long enough for a machine that has other work to do.
      leaseDuration: '30s',
      renewDeadline: '20s',
      leaseRetry: '100ms',
      listen: '127.0.0.1:0',
      webhookListen: '127.0.0.1:0',
      retryMin: '20ms',
      retryMax: '1s',
      logLevel: 'fatal',
    };
    const settings = await loadSettings(controllerFields, { flags, env: {}, file: undefined });
    this.#controller = await startController(settings, {
      onLeadershipLost: (reason) => {
        throw new Error(`leadership lost: ${reason}`);
      },
    });
    await this.world.cluster.until('the controller leads', () => this.#controller?.isLeading === true);
  }

  async stopController(): Promise<void> {
    await this.#controller?.stop();
    this.#controller = undefined;
  }

  async stop(): Promise<void> {
    await this.stopController();
    await this.world.stop();
  }

  get objects() {
    return this.world.cluster.objects;
  }

  /** A machine that runs: the VirtualMachine, its instance and its launcher pod, in phase Running. */
  async run(name: string, spec: SpecObject, options: MachineOptions = {}): Promise<void> {
    const vm = this.objects.create('virtualmachines', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace, name },
      spec: { runStrategy: 'Always', template: { spec: structuredClone(spec) } },
    });
    await this.runInstance(name, spec, options, vm);
  }

  async runInstance(name: string, spec: SpecObject, options: MachineOptions = {}, owner?: KubeObject): Promise<void> {
    const vmi = this.objects.create('virtualmachineinstances', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: {
        namespace,
        name,
        ...(owner && { ownerReferences: [controllerRef(owner)] }),
      },
      spec: { ...structuredClone(spec) },
      status: { phase: 'Scheduling' },
    });
    await this.launch(name, 'a', vmi, options);
    this.setPhase(name, 'Running');
  }

  /** Makes a launcher pod of the machine, as virt-controller does. */
  async launch(
    name: string,
    suffix: string,
    vmi: KubeObject,
    options: MachineOptions & { readonly nodeName?: string; readonly labels?: Readonly<Record<string, string>> } = {},
  ): Promise<Ref> {
    const rendered = renderNewPodNetworks({ namespace, spec: parseNetworkSpec(vmi.spec), plugins: NO_PLUGINS });
    const hashed = rendered.ok ? rendered.text : '';
    const text = 'podNetworks' in options ? options.podNetworks : options.ordinal ? withoutNames(hashed) : hashed;
    const ref = { namespace, name: `virt-launcher-${name}-${suffix}` };
    await this.world.cluster.createPod({
      ...ref,
      labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': vmi.metadata.uid, ...options.labels },
      annotations: { 'kubevirt.io/domain': name },
      ownerReferences: [controllerRef(vmi)],
      containers: ['compute'],
      ...(text && { networks: text }),
      ...(options.nodeName && { nodeName: options.nodeName }),
      ...(options.resources && { resources: options.resources }),
    });
    return ref;
  }

  pod(name: string, suffix = 'a'): Ref {
    return { namespace, name: `virt-launcher-${name}-${suffix}` };
  }

  podAnnotation(name: string, key: string, suffix = 'a'): string | undefined {
    return this.world.cluster.pod(this.pod(name, suffix)).metadata.annotations?.[key];
  }

  /** Interfaces that the pod asks for, in order. */
  asked(name: string, suffix = 'a'): string[] {
    const text = this.podAnnotation(name, 'k8s.v1.cni.cncf.io/networks', suffix);
    return (text ? (JSON.parse(text) as { interface?: string }[]) : []).map((element) => element.interface ?? '');
  }

  vm(name: string): KubeObject {
    return this.#get('virtualmachines', name);
  }

  vmi(name: string): KubeObject {
    return this.#get('virtualmachineinstances', name);
  }

  #get(resource: string, name: string): KubeObject {
    const found = this.objects.find({ resource, namespace, name });
    if (found === undefined) throw new Error(`no such object: ${resource} ${name}`);
    return found;
  }

  /** `status.interfaces` by name. */
  interfaces(name: string): Record<string, Record<string, unknown>> {
    const list = this.vmi(name).status?.['interfaces'];
    const entries = Array.isArray(list) ? list.filter(isJsonObject) : [];
    return Object.fromEntries(entries.map((entry) => [String(entry['name'] ?? ''), { ...entry }]));
  }

  /** The Ready report by name. */
  ready(name: string): Record<string, VmInterfaceReport> {
    const text = this.vmi(name).metadata.annotations?.['dynamic-networks.io/interfaces'];
    const reports: VmInterfaceReport[] = text === undefined ? [] : JSON.parse(text);
    return Object.fromEntries(reports.map((report) => [report.name, report]));
  }

  /** Waits until these networks of the machine have multus-status, and no others have. */
  async plugged(name: string, ...networks: readonly string[]): Promise<void> {
    const wanted = JSON.stringify([...networks].sort());
    const isPlugged = ({ infoSource }: Record<string, unknown>) => String(infoSource ?? '').includes('multus-status');
    await this.world.cluster.until(`${name} has ${wanted}`, () => {
      const have = Object.entries(this.interfaces(name)).filter(([, entry]) => isPlugged(entry));
      return JSON.stringify(have.map(([network]) => network).sort()) === wanted;
    });
  }

  setTemplate(name: string, spec: SpecObject): void {
    this.objects.modify({ resource: 'virtualmachines', namespace, name }, (draft) => {
      draft.spec = { ...draft.spec, template: { spec: structuredClone(spec) } };
    });
  }

  template(name: string): SpecObject {
    const template = this.vm(name).spec?.['template'];
    if (!isJsonObject(template)) throw new Error('no template');
    return template['spec'] as SpecObject;
  }

  setPhase(name: string, phase: string): void {
    this.editVmi(name, (draft) => {
      draft.status = { ...draft.status, phase };
    });
  }

  editVmi(name: string, edit: (draft: KubeObject) => void): void {
    this.objects.modify({ resource: 'virtualmachineinstances', namespace, name }, edit);
  }

  annotateVm(name: string, key: string, value: string): void {
    this.objects.modify({ resource: 'virtualmachines', namespace, name }, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [key]: value };
    });
  }

  /** What virt-handler does when the guest has let go of an interface: its entry goes. */
  finishUnplug(name: string, network: string): void {
    this.editVmi(name, (draft) => {
      const list = draft.status?.['interfaces'];
      const left = Array.isArray(list) ? list.filter((entry) => !isJsonObject(entry) || entry['name'] !== network) : [];
      draft.status = { ...draft.status, interfaces: left };
    });
  }

  /** Messages of our events about the machine or its instance. */
  events(name: string, reason: string): string[] {
    return this.world.cluster
      .events({ namespace, name })
      .filter((event) => event['reason'] === reason)
      .map((event) => String(event['message']));
  }

  /** Every patch that was sent, by what it was of. */
  patches(): string[] {
    return this.world.cluster.api.calls
      .matching({ verb: 'patch' })
      .map(({ resource, name, status }) => `${resource} ${name} ${status}`);
  }

  /** Ends every machine and its pods: the end of each story. */
  async clean(): Promise<void> {
    for (const resource of ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations']) {
      for (const { metadata } of this.objects.list(resource, namespace)) {
        this.objects.remove({ resource, namespace, name: metadata.name });
      }
    }
    await this.world.clean();
  }
}

const controllerRef = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});

/** Releases of old wrote no interface names: Multus then counted. */
const withoutNames = (text: string): string =>
  text === ''
    ? ''
    : JSON.stringify((JSON.parse(text) as object[]).map((element) => ({ ...element, interface: undefined })));
