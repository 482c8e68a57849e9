// ADD, DEL and CHECK of one delegate with Multus' own checks and error texts around libcni's; used for pod creation and
// for `/delegate` alike. Announces a finished ADD as Multus' AddedInterface event.
import type { KubeObject, ObjectStore } from '../api/object-store.ts';
import type { CniResult } from './cni-result.ts';
import { parseCidr, parseIp } from './ip-range.ts';
import { stringAt } from './json-values.ts';
import type { Kernel } from './kernel.ts';
import type { Libcni, RuntimeConf } from './libcni.ts';
import type { Delegate } from './multus-delegate.ts';
import { createPodEvent } from './pod-event.ts';
import type { ResultFiles } from './result-files.ts';

const macPattern = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface DelegateRunnerOptions {
  readonly libcni: Libcni;
  readonly kernel: Kernel;
  readonly store: ObjectStore;
  readonly results: ResultFiles;
  readonly emitEvents: boolean;
}

export class DelegateRunner {
  readonly #libcni: Libcni;
  readonly #kernel: Kernel;
  readonly #store: ObjectStore;
  readonly #results: ResultFiles;
  /** May be switched while running. */
  emitEvents: boolean;

  constructor(options: DelegateRunnerOptions) {
    this.#libcni = options.libcni;
    this.#kernel = options.kernel;
    this.#store = options.store;
    this.#results = options.results;
    this.emitEvents = options.emitEvents;
  }

  add(delegate: Delegate, runtime: RuntimeConf, pod: KubeObject, failHalfWay?: string): CniResult {
    this.#refuseTakenName(delegate, runtime);
    const result = this.#libcni.add(delegate.config, withRequest(delegate, runtime), failHalfWay);
    if (result.interfaces !== undefined || result.ips !== undefined) {
      const addresses = (result.ips ?? []).map((ip) => ip.address).join(' ');
      const from = delegate.name === '' ? '' : ` from ${delegate.name}`;
      this.event(pod, 'Normal', 'AddedInterface', `Add ${runtime.ifname} [${addresses}]${from}`);
    }
    return result;
  }

  del(delegate: Delegate, runtime: RuntimeConf): void {
    try {
      this.#libcni.del(delegate.config, runtime);
      this.#results.remove(delegate.config, runtime);
    } catch (error) {
      const [what, subject, verb] = delegate.isList
        ? ['ConflistDel', stringAt(delegate.config, 'name'), 'conflistDel: error in getting result from DelNetworkList']
        : ['DelegateDel', stringAt(delegate.config, 'type'), 'error in getting result from DelNetwork'];
      throw new Error(`DelegateDel: error invoking ${what} - "${subject}": ${verb}: ${textOf(error)}`, {
        cause: error,
      });
    }
  }

  /** The daemon never recognises a list here, and never names the plugin: both are its quirks. */
  check(delegate: Delegate, runtime: RuntimeConf): void {
    try {
      if (delegate.isList) {
        throw new Error("error in converting the raw bytes to conf: error parsing configuration: missing 'type'");
      }
      try {
        this.#libcni.check(delegate.config, runtime);
      } catch (error) {
        throw new Error(`error in getting result from CheckNetwork: ${textOf(error)}`, { cause: error });
      }
    } catch (error) {
      throw new Error(`DelegateCheck: error invoking DelegateCheck - "": ${textOf(error)}`, { cause: error });
    }
  }

  event(pod: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.emitEvents) createPodEvent(this.#store, pod, { component: 'multus', type, reason, message });
  }

  #refuseTakenName(delegate: Delegate, runtime: RuntimeConf): void {
    const refusal = this.#refusalOf(runtime);
    if (refusal === undefined) return;
    const type = delegate.isList ? '' : stringAt(delegate.config, 'type');
    throw new Error(`DelegateAdd: cannot set "${type}" interface name to "${runtime.ifname}": ${refusal}`);
  }

  #refusalOf({ netns, ifname }: RuntimeConf): string | undefined {
    if (!this.#kernel.hasNetns(netns)) {
      const why = `failed to Statfs ${JSON.stringify(netns)}: no such file or directory`;
      return `validateIfName: no net namespace ${netns} found: ${why}`;
    }
    if (this.#kernel.findLink(netns, ifname) === undefined) return undefined;
    return `validateIfName: interface name ${ifname} already exists`;
  }
}

/** Requested MAC and addresses also go into CNI_ARGS, whatever the plugin's capabilities say. */
const withRequest = (delegate: Delegate, runtime: RuntimeConf): RuntimeConf => {
  const args = new Map(runtime.args);
  if (delegate.mac !== '') {
    if (!macPattern.test(delegate.mac)) throw new Error(`DelegateAdd: failed to parse mac address "${delegate.mac}"`);
    args.set('MAC', delegate.mac);
  }
  if (delegate.ips !== undefined) {
    for (const ip of delegate.ips) {
      if (!isAddress(ip)) throw new Error(`DelegateAdd: failed to parse IP address "${ip}"`);
    }
    args.set('IP', delegate.ips.join(','));
  }
  return { ...runtime, args };
};

const isAddress = (text: string): boolean => {
  try {
    if (text.includes('/')) parseCidr(text);
    else parseIp(text);
    return true;
  } catch {
    return false;
  }
};
