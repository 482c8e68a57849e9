// The node's network namespaces and their links: what `ip netns` and `ip link` would show.
// Promises: a namespace starts with `lo`; a link name exists once per namespace; deleting a namespace deletes its links;
// what is handed out is never changed afterwards; listeners hear of every change after it happened.
import { randomBytes, randomUUID } from 'node:crypto';
import { ChangeListeners } from './change-listeners.ts';

export interface Link {
  readonly name: string;
  readonly mac: string;
  readonly mtu: number;
  /** With prefix length, as `ip address` shows them. */
  readonly addresses: readonly string[];
  /** veth, macvlan, loopback, ... */
  readonly type: string;
  /** Name of the CNI network that made it. */
  readonly network?: string;
}

export const randomMac = (): string => {
  const hex = randomBytes(5).toString('hex');
  return `0a:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}:${hex.slice(6, 8)}:${hex.slice(8)}`;
};

const loopback: Link = {
  name: 'lo',
  mac: '00:00:00:00:00:00',
  mtu: 65536,
  addresses: ['127.0.0.1/8'],
  type: 'loopback',
};

export class NoSuchNetnsError extends Error {
  constructor(path: string) {
    super(`failed to Statfs ${JSON.stringify(path)}: no such file or directory`);
  }
}

export class Kernel {
  readonly #namespaces = new Map<string, Map<string, Link>>();
  readonly #hostLinks: Map<string, Link>;
  readonly #listeners = new ChangeListeners();

  constructor(hostLinkNames: readonly string[] = ['eth0', 'eth1']) {
    this.#hostLinks = new Map([['lo', loopback]]);
    for (const name of hostLinkNames) {
      this.#hostLinks.set(name, { name, mac: randomMac(), mtu: 1500, addresses: [], type: 'device' });
    }
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  createNetns(): string {
    const path = `/var/run/netns/cni-${randomUUID()}`;
    this.#namespaces.set(path, new Map([['lo', loopback]]));
    this.#listeners.notify();
    return path;
  }

  deleteNetns(path: string): void {
    if (this.#namespaces.delete(path)) this.#listeners.notify();
  }

  hasNetns(path: string): boolean {
    return this.#namespaces.has(path);
  }

  netnsPaths(): string[] {
    return [...this.#namespaces.keys()];
  }

  links(path: string): Link[] {
    return [...this.#get(path).values()];
  }

  findLink(path: string, name: string): Link | undefined {
    return this.#get(path).get(name);
  }

  addLink(path: string, link: Link): void {
    const links = this.#get(path);
    if (links.has(link.name)) throw new Error(`link ${link.name} already exists in ${path}`);
    links.set(link.name, link);
    this.#listeners.notify();
  }

  changeLink(path: string, name: string, change: Partial<Omit<Link, 'name'>>): Link {
    const links = this.#get(path);
    const link = links.get(name);
    if (link === undefined) throw new Error(`failed to get "${name}": Link not found`);
    const changed = { ...link, ...change };
    links.set(name, changed);
    this.#listeners.notify();
    return changed;
  }

  /** Also what a test does to make the kernel drift from the status. Says whether there was such a link. */
  removeLink(path: string, name: string): boolean {
    const removed = this.#get(path).delete(name);
    if (removed) this.#listeners.notify();
    return removed;
  }

  findHostLink(name: string): Link | undefined {
    return this.#hostLinks.get(name);
  }

  ensureHostBridge(name: string): Link {
    const existing = this.#hostLinks.get(name);
    if (existing !== undefined) return existing;
    const bridge: Link = { name, mac: randomMac(), mtu: 1500, addresses: [], type: 'bridge' };
    this.#hostLinks.set(name, bridge);
    return bridge;
  }

  #get(path: string): Map<string, Link> {
    const links = this.#namespaces.get(path);
    if (links === undefined) throw new NoSuchNetnsError(path);
    return links;
  }
}
