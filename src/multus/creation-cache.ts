// What Multus itself remembers of the networks it attached when a sandbox was made: a JSON file per container id, a list of
// delegates in order, the first being the default network; and beside it, in a file for each, what the plugins answered.
// Read-only, and only consulted to undo one of them, to tell of them where Multus did not, and for the sandbox's network namespace.
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { CniResult } from '../model/cni-result.ts';
import type { CreatedAttachment } from '../model/creation-status.ts';
import { cniResult, resultOf } from './delegate-reply.ts';

const delegates = z.array(
  z.object({
    Name: z.optional(z.string()),
    ifnameRequest: z.optional(z.string()),
    deviceID: z.optional(z.string()),
    resourceName: z.optional(z.string()),
    Bytes: z.string(),
  }),
);

const cached = z.object({ result: cniResult });
const ofNamespace = z.object({ netns: z.string().check(z.startsWith('/')) });

const CONTAINER_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** What the runtime asks Multus for; Multus asks for others only on request. */
const DEFAULT_INTERFACE = 'eth0';

export const makeCreationCache = (directory: string) => {
  /** Undefined when it is not mounted, not there, or of another version. */
  const readDelegates = async (containerId: string) => {
    if (!CONTAINER_ID.test(containerId)) return undefined;
    try {
      const list = delegates.parse(JSON.parse(await readFile(join(directory, containerId), 'utf8')));
      return list.map((delegate, index) => ({
        ...delegate,
        interface: delegate.ifnameRequest || (index === 0 ? DEFAULT_INTERFACE : `net${index}`),
      }));
    } catch {
      return undefined;
    }
  };

  /** By interface. Files are named after a name that only the config knows, the sandbox and the interface. */
  const readResults = async (containerId: string): Promise<ReadonlyMap<string, CniResult>> => {
    const files = await readdir(join(directory, 'results')).catch(() => []);
    const sandbox = `-${containerId}-`;
    const ofSandbox = files.filter((file) => file.includes(sandbox));
    const read = ofSandbox.map(async (file) => {
      const answer = cached.safeParse(JSON.parse(await readFile(join(directory, 'results', file), 'utf8')));
      return [file.slice(file.indexOf(sandbox) + sandbox.length), resultOf(answer.data?.result)] as const;
    });
    return new Map(await Promise.all(read));
  };

  /** The name of the default network's config, which is the same for all sandboxes of a node, or nearly all. */
  let defaultName = '';

  const readNetns = (file: string): string | undefined => {
    try {
      return ofNamespace.parse(JSON.parse(readFileSync(join(directory, 'results', file), 'utf8'))).netns;
    } catch {
      return undefined;
    }
  };

  /** The beginning of the name of a file that ends so. */
  const findName = (ending: string): string => {
    try {
      const file = readdirSync(join(directory, 'results')).find((name) => name.endsWith(ending));
      return file?.slice(0, -ending.length) ?? '';
    } catch {
      return '';
    }
  };

  return {
    /** The network namespace that the runtime gave Multus for a sandbox that has not been taken down, or undefined when it is not known. */
    findNetns: (containerId: string): string | undefined => {
      if (!CONTAINER_ID.test(containerId)) return undefined;
      const ending = `-${containerId}-${DEFAULT_INTERFACE}`;
      const netns = readNetns(`${defaultName}${ending}`);
      if (netns !== undefined) return netns;
      defaultName = findName(ending);
      return readNetns(`${defaultName}${ending}`);
    },

    /** The exact config that an interface was attached with, or undefined when it is not known. */
    findConfig: async (containerId: string, interfaceName: string): Promise<string | undefined> => {
      const [, ...secondary] = (await readDelegates(containerId)) ?? [];
      const found = secondary.find((delegate) => delegate.interface === interfaceName);
      return found && Buffer.from(found.Bytes, 'base64').toString('utf8');
    },

    /** What is left of what the sandbox was made with, the default network first, or undefined when it is not known. */
    findAttachments: async (containerId: string): Promise<readonly CreatedAttachment[] | undefined> => {
      const list = (await readDelegates(containerId)) ?? [];
      const results = await readResults(containerId).catch(() => undefined);
      const [first] = list;
      // What was unplugged since has no result any more; without that of the default network, none of them tells anything.
      if (first === undefined || !results?.has(first.interface)) return undefined;
      return list.flatMap(({ Name = '', interface: name, deviceID, resourceName }) => {
        const result = results.get(name);
        const device = resourceName && deviceID ? { deviceId: deviceID } : {};
        return result === undefined ? [] : [{ network: Name, interface: name, result, ...device }];
      });
    },
  };
};
