// What it takes to bring something more into a cluster that runs, whether it is one of the harness or somebody else's.
import type { BaseImage } from './images.ts';
import type { NodeTools } from './node-tools.ts';
import type { CommandResult } from './run-command.ts';

export type PlaceNode = Pick<NodeTools, 'name' | 'run' | 'ctr'> & {
  /** An archive in the folder of images. */
  readonly importImage: (archive: string) => Promise<unknown>;
};

export type Place = {
  /** Of all places that this machine knows only this one has it. */
  readonly name: string;
  readonly nodes: readonly PlaceNode[];
  readonly kubectl: (args: readonly string[], stdin?: string) => Promise<string>;
  readonly tryKubectl: (args: readonly string[]) => Promise<CommandResult>;
  readonly baseImage: () => Promise<BaseImage>;
};

const findNodes = async ({ nodes }: Place, tag: string, isThere: boolean): Promise<readonly PlaceNode[]> => {
  const lists = await Promise.all(nodes.map((node) => node.ctr('images', 'list', '--quiet')));
  return nodes.filter((_, index) => lists[index]?.split('\n').includes(tag) === isThere);
};

/** Into all nodes that do not have it: `ensureArchive` is asked only then. */
export const bringImage = async (place: Place, tag: string, ensureArchive: () => Promise<string>): Promise<void> => {
  const without = await findNodes(place, tag, false);
  if (without.length === 0) return;
  const archive = await ensureArchive();
  await Promise.all(without.map((node) => node.importImage(archive)));
};

export const removeImage = async (place: Place, tag: string): Promise<void> => {
  const having = await findNodes(place, tag, true);
  await Promise.all(having.map((node) => node.ctr('images', 'remove', tag)));
};
