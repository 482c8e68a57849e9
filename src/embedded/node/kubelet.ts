// The simulated kubelet: sees the pods of its node in the object store and gives each a worker.
// Promises: driven by changes only, it neither polls nor sleeps; pods of other nodes are never touched; a pod that could
// not be started is tried again when it or any network definition changes.
import type { KubeObject, ObjectChange } from '../api/object-store.ts';
import { stringAt } from './json-values.ts';
import type { Hold, LifecycleStage } from './lifecycle-holds.ts';
import { type NodeParts, PodWorker } from './pod-worker.ts';
import type { Sandbox } from './sandbox-table.ts';

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

export interface KubeletOptions extends NodeParts {
  readonly nodeName: string;
}

const keyOf = ({ namespace, name }: PodRef): string => `${namespace}/${name}`;

const isOver = (pod: KubeObject): boolean => ['Succeeded', 'Failed'].includes(stringAt(pod.status, 'phase'));

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #byUid = new Map<string, PodWorker>();
  /** The worker of the latest pod of this name. */
  readonly #byName = new Map<string, PodWorker>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.store.subscribe((change) => this.#see(change));
    for (const object of this.#options.store.list('pods')) this.#see({ type: 'ADDED', resource: 'pods', object });
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Resolves when the pod's containers run; never, for a pod that cannot start. */
  whenRunning(ref: PodRef): Promise<void> {
    return this.#get(ref).whenRunning();
  }

  /** The sandbox in use, also the one being torn down. */
  findSandbox(ref: PodRef): Sandbox | undefined {
    return this.#byName.get(keyOf(ref))?.sandbox;
  }

  /** Keeps a pod, which need not exist yet, from getting a sandbox: it stays Pending, or without its new sandbox. */
  holdCreation(ref: PodRef): Hold {
    return this.#hold(ref, 'creation');
  }

  /** Stops a deletion before its containers end, before its sandbox is torn down, or before its API object goes. */
  holdTermination(ref: PodRef, stage: Exclude<LifecycleStage, 'creation'> = 'containers'): Hold {
    return this.#hold(ref, stage);
  }

  /** Resolves when the new sandbox runs. */
  killSandbox(ref: PodRef): Promise<void> {
    return this.#get(ref).replaceSandbox();
  }

  /** The first container, if none is named. The sandbox stays. */
  restartContainer(ref: PodRef, container?: string): void {
    this.#get(ref).restartContainer(container);
  }

  /** Ends the containers and tears the sandbox down; the API object stays, Succeeded or Failed. */
  finishPod(ref: PodRef, exitCode = 0): void {
    this.#get(ref).finish(exitCode);
  }

  addDevices(resourceName: string, ids: readonly string[]): void {
    this.#options.devices.add(resourceName, ids);
  }

  #hold(ref: PodRef, stage: LifecycleStage): Hold {
    // All pods of that name, also one that was deleted by force and still has its sandbox.
    return this.#options.holds.hold(keyOf(ref), stage, () => this.#wakeAll());
  }

  #wakeAll(): void {
    for (const worker of this.#byUid.values()) worker.wake();
  }

  #get(ref: PodRef): PodWorker {
    const worker = this.#byName.get(keyOf(ref));
    if (worker === undefined) throw new Error(`no such pod on this node: ${keyOf(ref)}`);
    return worker;
  }

  #see({ type, resource, object }: ObjectChange): void {
    if (resource === 'network-attachment-definitions' && type !== 'DELETED') this.#wakeAll();
    if (resource !== 'pods') return;
    const isOurs = stringAt(object.spec, 'nodeName') === this.#options.nodeName;
    const isNew = !this.#byUid.has(object.metadata.uid);
    if (isNew && isOurs && type !== 'DELETED' && !isOver(object)) this.#adopt(object);
    this.#byUid.get(object.metadata.uid)?.wake();
  }

  #adopt(pod: KubeObject): void {
    const { uid, name, namespace = 'default' } = pod.metadata;
    const key = keyOf({ namespace, name });
    const worker = new PodWorker(this.#options, pod, () => {
      this.#byUid.delete(uid);
      if (this.#byName.get(key) === worker) this.#byName.delete(key);
    });
    this.#byUid.set(uid, worker);
    this.#byName.set(key, worker);
  }
}
