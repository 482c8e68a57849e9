// The addresses that the IPAM plugin host-local has given out on this node: a directory per network, and in it a file per address
// that names the container and the interface. Read only.
import { readdir, readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

export interface Reservation {
  /** As the CNI config calls it. */
  readonly network: string;
  readonly address: string;
  readonly containerId: string;
  readonly interface: string;
  readonly sinceMs: number;
}

/** Whatever is gone by the time that it is read is left out: plugins are at work meanwhile. */
export const listReservations = async (directory: string): Promise<readonly Reservation[]> => {
  const networks = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const lists = await Promise.all(
    networks.filter((entry) => entry.isDirectory()).map(({ name }) => listNetwork(directory, name)),
  );
  return lists.flat();
};

const listNetwork = async (directory: string, network: string): Promise<readonly Reservation[]> => {
  // Beside the addresses there are a lock and the last address of each range.
  const addresses = (await readdir(join(directory, network)).catch(() => [])).filter((name) => isIP(name) !== 0);
  const found = await Promise.all(addresses.map((address) => readReservation(directory, network, address)));
  return found.filter((reservation) => reservation !== undefined);
};

const readReservation = async (
  directory: string,
  network: string,
  address: string,
): Promise<Reservation | undefined> => {
  const file = join(directory, network, address);
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    const [containerId = '', name = ''] = text.split(/\r?\n/).map((line) => line.trim());
    return { network, address, containerId, interface: name, sinceMs: mtimeMs };
  } catch {
    return undefined;
  }
};
