// What Multus itself remembers of the networks it attached when a sandbox was made: a JSON file per container id, a list of
// delegates in order, the first being the default network. Read-only, and only consulted to undo one of them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';

const delegates = z.array(z.object({ ifnameRequest: z.optional(z.string()), Bytes: z.string() }));

const CONTAINER_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The exact config that an interface was attached with at sandbox creation, or undefined when it is not known. */
export const makeFindCreationConfig =
  (directory: string) =>
  async (containerId: string, interfaceName: string): Promise<string | undefined> => {
    if (!CONTAINER_ID.test(containerId)) return undefined;
    try {
      const list = delegates.parse(JSON.parse(await readFile(join(directory, containerId), 'utf8')));
      const found = list.find(
        ({ ifnameRequest }, index) => index > 0 && (ifnameRequest || `net${index}`) === interfaceName,
      );
      return found && Buffer.from(found.Bytes, 'base64').toString('utf8');
    } catch {
      return undefined; // not mounted, not there, or of another version: the network's present config is the next best
    }
  };
