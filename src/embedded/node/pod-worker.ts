// One pod's life on the node: sandbox, networks, containers, and the way back.
// Promises: steps of one pod run one at a time; each looks at the API object and at its own stage, never at what kind of
// event woke it, so that missed or repeated wake-ups do not matter; what a step cannot do yet, the next one tries again.
import type { KubeObject, ObjectRef, ObjectStore } from '../api/object-store.ts';
import { type DevicePool, deviceEnvironment } from './device-pool.ts';
import { withoutPrefix } from './ip-range.ts';
import { objectsAt, stringAt } from './json-values.ts';
import type { Kernel } from './kernel.ts';
import type { LifecycleHolds } from './lifecycle-holds.ts';
import type { MultusDaemon } from './multus-daemon.ts';
import type { SandboxArgs } from './multus-delegate.ts';
import { createPodEvent } from './pod-event.ts';
import * as podStatus from './pod-status.ts';
import type { Sandbox, SandboxTable } from './sandbox-table.ts';

export interface NodeParts {
  readonly store: ObjectStore;
  readonly kernel: Kernel;
  readonly sandboxes: SandboxTable;
  readonly multus: MultusDaemon;
  readonly devices: DevicePool;
  readonly holds: LifecycleHolds;
  readonly hostIp: string;
}

type Stage = 'starting' | 'running' | 'ended' | 'stopped' | 'gone';

export class PodWorker {
  readonly #node: NodeParts;
  readonly #ref: ObjectRef;
  /** The API object's uid, and the uid under which the runtime knows the pod: they differ for mirror pods. */
  readonly #uid: string;
  readonly #runtimeUid: string;
  readonly #onGone: () => void;
  #stage: Stage = 'starting';
  #sandbox: Sandbox | undefined;
  #containers: podStatus.ContainerRecord[];
  #exitCode: number | undefined;
  #mustReplaceSandbox = false;
  #running = Promise.withResolvers<void>();
  /** A step is under way; and another one is wanted after it. */
  #isBusy = false;
  #isWanted = false;

  constructor(node: NodeParts, pod: KubeObject, onGone: () => void) {
    const { name, namespace = 'default', uid, annotations } = pod.metadata;
    this.#node = node;
    this.#ref = { resource: 'pods', namespace, name };
    this.#uid = uid;
    this.#runtimeUid = annotations?.['kubernetes.io/config.mirror'] ?? uid;
    this.#containers = podStatus.newContainers(pod);
    this.#onGone = onGone;
  }

  get sandbox(): Sandbox | undefined {
    return this.#sandbox;
  }

  whenRunning(): Promise<void> {
    return this.#running.promise;
  }

  /** The pod may have changed, or something it waits for. */
  wake(): void {
    this.#isWanted = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    queueMicrotask(() => void this.#work());
  }

  async #work(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#step();
    }
    this.#isBusy = false;
  }

  async #step(): Promise<void> {
    const pod = this.#findPod();
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || this.#exitCode !== undefined) {
      await this.#end(pod);
    } else if (this.#stage === 'starting') {
      this.#start(pod);
    } else if (this.#stage === 'running' && this.#mustReplaceSandbox) {
      await this.#replaceSandbox();
    } else if (this.#stage === 'running' && objectsAt(pod.spec, 'readinessGates').length > 0) {
      this.#modify(podStatus.setReadiness);
    }
  }

  #start(pod: KubeObject): void {
    const isOnHostNetwork = pod.spec?.['hostNetwork'] === true;
    const mustWaitForMultus = !isOnHostNetwork && !this.#node.multus.isUp;
    if (mustWaitForMultus) void this.#node.multus.whenUp().then(() => this.wake());
    if (this.#isHeld('creation') || mustWaitForMultus) {
      this.#modify(podStatus.setPending);
      return;
    }
    const { kernel, sandboxes, store, devices, hostIp } = this.#node;
    const { podUid, podNamespace, podName } = this.#podArgs();
    const netns = isOnHostNetwork ? '' : kernel.createNetns();
    const sandbox = sandboxes.add({ podUid, podNamespace, podName, netns });
    try {
      const allocated = devices.allocate(this.#uid, pod.spec);
      const podIps = isOnHostNetwork ? [hostIp] : this.#attach(sandbox, pod, allocated);
      this.#sandbox = sandbox;
      const env = [...deviceEnvironment(allocated), { key: 'HOSTNAME', value: podName }];
      for (const container of this.#containers) this.#startContainer(container, sandbox, env);
      this.#stage = 'running';
      this.#modify((draft) => podStatus.setRunning(draft, { hostIp, podIps, containers: this.#containers }));
      this.#running.resolve();
    } catch (error) {
      // Stays in `starting`: the next change of the pod or of a network definition tries again.
      if (netns !== '') kernel.deleteNetns(netns);
      sandboxes.remove(sandbox.id);
      const message = `Failed to create pod sandbox: ${error instanceof Error ? error.message : error}`;
      createPodEvent(store, pod, { component: 'kubelet', type: 'Warning', reason: 'FailedCreatePodSandBox', message });
      this.#modify(podStatus.setPending);
      // What that write woke is this very failure; what changed before it was already looked at.
      this.#isWanted = false;
    }
  }

  #attach(sandbox: Sandbox, pod: KubeObject, devices: ReadonlyMap<string, readonly string[]>): string[] {
    const result = this.#node.multus.podNetworks.create(this.#sandboxArgs(sandbox), pod, devices);
    return (result.ips ?? []).map((ip) => withoutPrefix(ip.address));
  }

  #startContainer(container: podStatus.ContainerRecord, sandbox: Sandbox, env: { key: string; value: string }[]): void {
    if (container.id !== '') container.restartCount += 1;
    container.id = this.#node.sandboxes.addContainer(sandbox.id, container.name, env).id;
    container.startedAt = podStatus.timestamp();
    delete container.ended;
  }

  async #end(pod: KubeObject | undefined): Promise<void> {
    if (this.#stage === 'starting') this.#stage = 'stopped';
    if (this.#stage === 'running') {
      if (this.#isHeld('containers')) return;
      this.#endContainers(this.#exitCode ?? 0);
      this.#stage = 'ended';
      this.#modify((draft) => podStatus.setEnded(draft, this.#containers));
    }
    if (this.#stage === 'ended') {
      if (this.#isHeld('sandbox')) return;
      await this.#stopSandbox();
      this.#stage = 'stopped';
      this.#modify(podStatus.setSandboxGone);
    }
    if (this.#stage !== 'stopped') return;
    if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) return;
    if (this.#isHeld('object')) return;
    for (const sandbox of this.#node.sandboxes.ofPod(this.#runtimeUid)) this.#node.sandboxes.remove(sandbox.id);
    this.#node.devices.free(this.#uid);
    if (this.#findPod() !== undefined) {
      this.#node.store.remove(this.#ref, { gracePeriodSeconds: 0, uid: this.#uid });
    }
    if (this.#findPod() !== undefined) return;
    this.#stage = 'gone';
    this.#onGone();
  }

  /** As after a reboot or a crash of the pause process: a new sandbox is made from the pod as it is by then. */
  replaceSandbox(): Promise<void> {
    if (this.#stage !== 'running') throw new Error(`pod is not running: ${this.#name()}`);
    this.#mustReplaceSandbox = true;
    this.#running = Promise.withResolvers();
    this.wake();
    return this.#running.promise;
  }

  async #replaceSandbox(): Promise<void> {
    this.#mustReplaceSandbox = false;
    this.#endContainers(137);
    if (this.#sandbox !== undefined) {
      this.#sandbox.isReady = false;
      this.#node.kernel.deleteNetns(this.#sandbox.netns);
    }
    this.#modify(podStatus.setSandboxGone);
    await this.#stopSandbox();
    this.#stage = 'starting';
    this.wake();
  }

  restartContainer(name: string | undefined): void {
    const container = this.#containers.find((candidate) => name === undefined || candidate.name === name);
    const sandbox = this.#sandbox;
    if (this.#stage !== 'running' || container === undefined || sandbox === undefined) {
      throw new Error(`no such running container: ${this.#name()} ${name ?? ''}`);
    }
    const old = this.#node.sandboxes.findContainer(container.id);
    if (old !== undefined) old.state = 'exited';
    this.#startContainer(container, sandbox, [...(old?.env ?? [])]);
    const { hostIp } = this.#node;
    const podIps = objectsAt(this.#findPod()?.status, 'podIPs').map((each) => stringAt(each, 'ip'));
    this.#modify((draft) => podStatus.setRunning(draft, { hostIp, podIps, containers: this.#containers }));
  }

  /** The containers end by themselves, as a job's do: the object stays. */
  finish(exitCode: number): void {
    this.#exitCode = exitCode;
    this.wake();
  }

  #endContainers(exitCode: number): void {
    const finishedAt = podStatus.timestamp();
    for (const container of this.#containers) {
      container.ended = { exitCode, finishedAt };
      const known = this.#node.sandboxes.findContainer(container.id);
      if (known !== undefined) known.state = 'exited';
    }
  }

  async #stopSandbox(): Promise<void> {
    const sandbox = this.#sandbox;
    if (sandbox === undefined) return;
    if (sandbox.netns !== '') {
      await this.#node.multus.whenUp();
      this.#node.multus.podNetworks.remove(this.#sandboxArgs(sandbox));
      this.#node.kernel.deleteNetns(sandbox.netns);
    }
    sandbox.isReady = false;
    this.#sandbox = undefined;
  }

  #isHeld(stage: Parameters<LifecycleHolds['isHeld']>[1]): boolean {
    return this.#node.holds.isHeld(this.#name(), stage);
  }

  #name(): string {
    return `${this.#ref.namespace}/${this.#ref.name}`;
  }

  #podArgs(): Pick<SandboxArgs, 'podUid' | 'podNamespace' | 'podName'> {
    return { podUid: this.#runtimeUid, podNamespace: this.#ref.namespace ?? 'default', podName: this.#ref.name };
  }

  #sandboxArgs({ id, netns }: Sandbox): SandboxArgs {
    return { ...this.#podArgs(), containerId: id, netns };
  }

  /** The API object, unless it is gone or another pod has taken its name. */
  #findPod(): KubeObject | undefined {
    const pod = this.#node.store.find(this.#ref);
    return pod?.metadata.uid === this.#uid ? pod : undefined;
  }

  #modify(change: (draft: KubeObject) => void): void {
    if (this.#findPod() !== undefined) this.#node.store.modify(this.#ref, change);
  }
}
