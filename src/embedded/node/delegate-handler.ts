// What the daemon does with a parsed `/delegate` request, faults aside. Throws with the text that goes into the answer.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, ObjectStore } from '../api/object-store.ts';
import { daemonResultVersion, resultAsVersion } from './cni-result.ts';
import type { DelegateCall } from './delegate-request.ts';
import type { DelegateRunner } from './delegate-runner.ts';
import { loadDelegate, runtimeConfOf, type SandboxArgs } from './multus-delegate.ts';

export interface DelegateHandlerOptions {
  readonly store: ObjectStore;
  readonly runner: DelegateRunner;
  /** How long to wait for a pod that is not there. The real daemon waits 2.5 s for its informer, on DEL too. */
  readonly podLookupMs: number;
}

const quote = (text: string): string => JSON.stringify(text);

const isStaticPod = (pod: KubeObject): boolean => {
  const source = pod.metadata.annotations?.['kubernetes.io/config.source'];
  return source !== undefined && source !== 'api';
};

const describe = ({ containerId, netns, ifname, args }: DelegateCall): string =>
  `ContainerID:${quote(containerId)} Netns:${quote(netns)} IfName:${quote(ifname)} Args:${quote(args)} Path:""`;

export class DelegateHandler {
  readonly #options: DelegateHandlerOptions;

  constructor(options: DelegateHandlerOptions) {
    this.#options = options;
  }

  /** The body of the 200 answer; empty for everything but ADD. */
  async handle(call: DelegateCall, failHalfWay?: string): Promise<string> {
    if (call.podUid === undefined && this.#findPod(call) === undefined) {
      throw new Error(
        `could not extract the kubernetes runtime args: missing pod UID; attempted to recover it from the K8s API, but failed: pod "${call.podName}" not found`,
      );
    }
    try {
      return await this.#run(call, failHalfWay);
    } catch (error) {
      throw new Error(`${describe(call)} ERRORED: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }

  errorText(call: DelegateCall, message: string): string {
    return `${describe(call)} ERRORED: error configuring pod [${call.pod}] networking: ${message}`;
  }

  async #run(call: DelegateCall, failHalfWay: string | undefined): Promise<string> {
    const { runner } = this.#options;
    switch (call.command) {
      case 'ADD': {
        const pod = await this.#getPod(call);
        const delegate = loadDelegate(call.config, { request: call.attributes });
        const runtime = runtimeConfOf(this.#sandboxOf(call, pod), call.ifname, delegate);
        try {
          const result = runner.add(delegate, runtime, pod, failHalfWay);
          return JSON.stringify({ Result: resultAsVersion(result, daemonResultVersion) });
        } catch (error) {
          const text = error instanceof Error ? error.message : error;
          throw new Error(`error configuring pod [${call.pod}] networking: ${text}`, { cause: error });
        }
      }
      case 'DEL': {
        const pod = await this.#getPod(call);
        const delegate = loadDelegate(call.config);
        runner.del(delegate, runtimeConfOf(this.#sandboxOf(call, pod), call.ifname, delegate));
        return '';
      }
      case 'CHECK': {
        const delegate = { ...loadDelegateForCheck(call), name: call.network };
        runner.check(delegate, runtimeConfOf(this.#sandboxOf(call, undefined), call.ifname, delegate));
        return '';
      }
      default:
        throw new Error(`unknown cmd type: ${call.command}`);
    }
  }

  #sandboxOf(call: DelegateCall, pod: KubeObject | undefined): SandboxArgs {
    const { containerId, netns, podNamespace, podName } = call;
    return { containerId, netns, podNamespace, podName, podUid: call.podUid ?? pod?.metadata.uid ?? '' };
  }

  #findPod({ podNamespace, podName }: DelegateCall): KubeObject | undefined {
    return this.#options.store.find({ resource: 'pods', namespace: podNamespace, name: podName });
  }

  async #getPod(call: DelegateCall): Promise<KubeObject> {
    if (call.podNamespace === '' || call.podName === '') {
      const { podName, podNamespace } = call;
      throw new Error(`required CNI variable missing. pod name: ${podName}; pod namespace: ${podNamespace}`);
    }
    if (this.#findPod(call) === undefined && this.#options.podLookupMs > 0) await sleep(this.#options.podLookupMs);
    const pod = this.#findPod(call);
    if (pod === undefined) throw new Error('pod not found during Multus GetPod');
    const { uid } = pod.metadata;
    if (call.podUid && call.podUid !== uid && !isStaticPod(pod)) {
      throw new Error(
        `Multus: [${call.pod}/${call.podUid}]: expected pod UID ${quote(call.podUid)} but got ${quote(uid)} from Kube API`,
      );
    }
    return pod;
  }
}

/** CHECK does not validate the config: a list, or nothing usable, fails later and differently. */
const loadDelegateForCheck = (call: DelegateCall) =>
  call.config['type'] === undefined
    ? { ...loadDelegate({ ...call.config, type: 'list' }), config: call.config, isList: true }
    : loadDelegate(call.config);
