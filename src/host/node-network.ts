// The network that the node's own address is on, as a CNI config: macvlan on the interface that carries the address, without
// addresses of its own. Promises:
// - config() looks at the host each time, so an address that moved is followed by the next plug;
// - publish() keeps the same config in a file where Multus looks for it when it makes a pod: for what the agent does not do
//   itself. Where no interface is found there is no file, and Multus refuses the pod instead of giving it another network.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KnownError } from '../model/errors.ts';
import { type Carrier, findCarrier } from '../model/host-interfaces.ts';

export interface NodeNetworkOptions {
  /** Name of the NetworkAttachmentDefinitions that mean this network. */
  readonly name: string;
  /** The host's /proc/1/net, as seen from here. */
  readonly hostNetDir: string;
  /** Where Multus finds configs of definitions that have none. */
  readonly networkConfigDir: string;
  /** The node's addresses, the preferred one first; none while they are not known. */
  readonly addresses: () => readonly string[];
  readonly write: (path: string, content: string) => Promise<void>;
}

export class NodeNetwork {
  readonly #options: NodeNetworkOptions;

  constructor(options: NodeNetworkOptions) {
    this.#options = options;
  }

  async config(): Promise<string> {
    const carrier = await this.#find();
    if (carrier.state === 'found') return this.#configOn(carrier.device);
    throw new KnownError(
      'nodeNetworkNotFound',
      `${carrier.problem}, so nothing can be plugged into its network; nothing was changed`,
    );
  }

  /** Writes, replaces or removes the file; does nothing when it is as it should be. */
  async publish(isWanted: boolean): Promise<void> {
    const { networkConfigDir, name, write } = this.#options;
    const path = join(networkConfigDir, `dynamic-networks-${name}.conf`);
    const carrier = isWanted ? await this.#find() : undefined;
    const wanted = carrier?.state === 'found' ? `${this.#configOn(carrier.device)}\n` : undefined;
    const present = await readFile(path, 'utf8').catch(() => undefined);
    if (wanted === present) return;
    if (wanted === undefined) await rm(path, { force: true });
    else await write(path, wanted);
  }

  async #find(): Promise<Carrier> {
    const { hostNetDir, addresses } = this.#options;
    const read = (file: string) => readFile(join(hostNetDir, file), 'utf8').catch(() => '');
    const [routes, destinations, inet6] = await Promise.all(['route', 'fib_trie', 'if_inet6'].map(read));
    return findCarrier(addresses(), {
      routes: routes ?? '',
      destinations: destinations ?? '',
      inet6: inet6 ?? '',
    });
  }

  #configOn(master: string): string {
    const { name } = this.#options;
    return JSON.stringify({
      cniVersion: '0.3.1',
      name,
      type: 'macvlan',
      master,
      capabilities: { mac: true },
      ipam: {},
    });
  }
}
