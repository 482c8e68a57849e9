// Multus' part in a pod's creation and deletion (its `/cni` endpoint, called in-process by the kubelet).
// Promises: creation attaches the default network and everything the annotation lists at that moment, or nothing;
// deletion DELs exactly what creation added, as the scratch cache remembers it, and nothing that was hot-plugged.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, ObjectStore } from '../api/object-store.ts';
import type { CniResult } from './cni-result.ts';
import type { DelegateRunner } from './delegate-runner.ts';
import { type JsonObject, parseObject, stringAt } from './json-values.ts';
import {
  type Delegate,
  loadDelegate,
  parseSavedDelegates,
  runtimeConfOf,
  type SandboxArgs,
  saveDelegates,
} from './multus-delegate.ts';
import { type NetworkSelection, parseSelections } from './multus-selection.ts';
import {
  formatNetworkStatus,
  type NetworkStatusEntry,
  networkStatusAnnotation,
  networksAnnotation,
  statusEntries,
} from './network-status.ts';
import type { ResultFiles } from './result-files.ts';

const resourceNameAnnotation = 'k8s.v1.cni.cncf.io/resourceName';
const defaultNetworkAnnotation = 'v1.multus-cni.io/default-network';
const multusNamespace = 'kube-system';

/** Resource name to the device ids that the kubelet gave to the pod. */
export type PodDevices = ReadonlyMap<string, readonly string[]>;

export interface PodNetworksOptions {
  readonly store: ObjectStore;
  readonly runner: DelegateRunner;
  readonly cacheDir: string;
  readonly results: ResultFiles;
  readonly defaultNetwork: JsonObject;
  /** When set, a pod may use networks of its own namespace and of these only. */
  readonly isolation: { readonly globalNamespaces: readonly string[] } | undefined;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const interfaceName = (delegate: Delegate, index: number): string =>
  delegate.ifname || (delegate.isDefault ? 'eth0' : `net${index}`);

export class PodNetworks {
  /** Not for a while after an outage of the API server: then it reports nothing, and says that all is well. */
  seesPods = true;
  readonly #options: PodNetworksOptions;

  constructor(options: PodNetworksOptions) {
    this.#options = options;
    mkdirSync(options.cacheDir, { recursive: true, mode: 0o700 });
  }

  /** Returns the default network's result, from which the kubelet takes the pod's addresses. */
  create(sandbox: SandboxArgs, pod: KubeObject, devices: PodDevices = new Map()): CniResult {
    const delegates = this.#load(pod, devices);
    writeFileSync(this.#cachePath(sandbox), saveDelegates(delegates), { mode: 0o600 });
    const entries: NetworkStatusEntry[] = [];
    const results: CniResult[] = [];
    for (const [index, delegate] of delegates.entries()) {
      try {
        const runtime = runtimeConfOf(sandbox, interfaceName(delegate, index), delegate);
        const result = this.#options.runner.add(delegate, runtime, pod);
        results.push(result);
        this.#options.results.save(delegate.config, runtime, result);
        const deviceInfo = delegate.resourceName === '' ? undefined : pciDeviceInfo(delegate.deviceId);
        entries.push(...statusEntries(result, { name: delegate.name, isDefault: delegate.isDefault, deviceInfo }));
      } catch (error) {
        this.#delete(sandbox, delegates.slice(0, index + 1));
        const { podNamespace, podName, podUid } = sandbox;
        const network = stringAt(delegate.config, 'name');
        throw new Error(
          `[${podNamespace}/${podName}/${podUid}:${network}]: error adding container to network "${network}": ${textOf(error)}`,
          { cause: error },
        );
      }
    }
    this.#report(pod, entries);
    const [first] = results;
    if (first === undefined) throw new Error('Multus: no default network');
    return first;
  }

  remove(sandbox: SandboxArgs): void {
    let saved: string;
    try {
      saved = readFileSync(this.#cachePath(sandbox), 'utf8');
    } catch {
      return;
    }
    this.#delete(sandbox, parseSavedDelegates(saved));
    rmSync(this.#cachePath(sandbox), { force: true });
  }

  #cachePath(sandbox: SandboxArgs): string {
    return join(this.#options.cacheDir, sandbox.containerId);
  }

  /** Errors are swallowed: the kubelet must be able to get rid of a sandbox whatever the plugins say. */
  #delete(sandbox: SandboxArgs, delegates: readonly Delegate[]): void {
    for (const [index, delegate] of [...delegates.entries()].reverse()) {
      try {
        this.#options.runner.del(delegate, runtimeConfOf(sandbox, interfaceName(delegate, index), delegate));
      } catch {}
    }
  }

  #report(pod: KubeObject, entries: readonly NetworkStatusEntry[]): void {
    const { name, namespace = 'default', uid } = pod.metadata;
    const ref = { resource: 'pods', namespace, name };
    // A pod that went away meanwhile is no reason to fail: Multus tolerates it too.
    if (!this.seesPods || this.#options.store.find(ref)?.metadata.uid !== uid) return;
    this.#options.store.modify(ref, (draft) => {
      draft.metadata.annotations = {
        ...draft.metadata.annotations,
        [networkStatusAnnotation]: formatNetworkStatus(entries),
      };
    });
  }

  #load(pod: KubeObject, devices: PodDevices): Delegate[] {
    const { namespace = 'default', annotations = {} } = pod.metadata;
    const used = new Map<string, number>();
    const override = parseSelections(annotations[defaultNetworkAnnotation] ?? '', multusNamespace)[0];
    const first = override
      ? { ...this.#fromDefinition(pod, override, devices, used), isDefault: true }
      : loadDelegate(this.#options.defaultNetwork, { isDefault: true });
    const selections = parseSelections(annotations[networksAnnotation] ?? '', namespace);
    for (const selection of selections) this.#refuseIsolated(namespace, selection);
    return [first, ...selections.map((selection) => this.#fromDefinition(pod, selection, devices, used))];
  }

  #refuseIsolated(podNamespace: string, selection: NetworkSelection): void {
    const { isolation } = this.#options;
    if (isolation === undefined || selection.namespace === podNamespace) return;
    if (isolation.globalNamespaces.includes(selection.namespace)) return;
    throw new Error(
      `GetNetworkDelegates: namespace isolation enabled, annotation violates permission, pod is in namespace ${podNamespace} but refers to target namespace ${selection.namespace}`,
    );
  }

  #fromDefinition(
    pod: KubeObject,
    selection: NetworkSelection,
    devices: PodDevices,
    used: Map<string, number>,
  ): Delegate {
    const { name, namespace, ips, mac, cniArgs } = selection;
    const definition = this.#options.store.find({ resource: 'network-attachment-definitions', namespace, name });
    if (definition === undefined) {
      const text = `cannot find a network-attachment-definition (${name}) in namespace (${namespace}): network-attachment-definitions.k8s.cni.cncf.io "${name}" not found`;
      this.#options.runner.event(pod, 'Warning', 'NoNetworkFound', text);
      throw new Error(`GetNetworkDelegates: failed getting the delegate: getKubernetesDelegate: ${text}`);
    }
    const resourceName = definition.metadata.annotations?.[resourceNameAnnotation] ?? '';
    const index = used.get(resourceName) ?? 0;
    used.set(resourceName, index + 1);
    const config = parseObject(stringAt(definition.spec, 'config'));
    return loadDelegate(stringAt(config, 'name') === '' ? { ...config, name } : config, {
      name: `${namespace}/${name}`,
      request: { ifname: selection.interface, mac, ips, cniArgs, deviceId: selection.deviceId },
      deviceId: devices.get(resourceName)?.[index] ?? '',
      resourceName,
    });
  }
}

const pciDeviceInfo = (address: string): JsonObject => ({
  type: 'pci',
  version: '1.1.0',
  pci: { 'pci-address': address },
});
