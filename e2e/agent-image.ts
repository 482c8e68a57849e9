// The agent's image as users build it (README, "Install"), tagged with a hash of what it is made from: nothing is built twice.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { step } from './cluster/progress.ts';
import { runCommand, tryCommand } from './cluster/run-command.ts';
import type { StartedCluster } from './cluster/started-cluster.ts';

const root = resolve(import.meta.dirname, '..');
const ingredients = ['src', 'cri', 'scripts', 'deploy/Dockerfile', 'package-lock.json', 'LICENSE'];

const filesOf = async (path: string): Promise<readonly string[]> => {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return [path];
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
};

const hashOfIngredients = async (): Promise<string> => {
  const hash = createHash('sha256').update(process.arch);
  for (const file of (await Promise.all(ingredients.map(filesOf))).flat()) {
    hash.update(file).update(await readFile(join(root, file)));
  }
  return hash.digest('hex').slice(0, 12);
};

/** Docker must have been found already (DOCKER_HOST). */
const ensureAgentImage = async (): Promise<string> => {
  const tag = `localhost/dynamic-networks:e2e-${await hashOfIngredients()}`;
  if ((await tryCommand(['docker', 'image', 'inspect', tag])).exitCode === 0) return tag;
  await step(`build image ${tag}`, async () => {
    await runCommand(['npm', 'run', 'image'], { cwd: root });
    await runCommand(['docker', 'build', '-f', 'deploy/Dockerfile', '-t', tag, 'dist/image'], { cwd: root });
  });
  return tag;
};

/** Builds it if nobody did, and brings it to every node; returns its tag. */
export const loadAgentImage = async (cluster: StartedCluster): Promise<string> => {
  const image = await ensureAgentImage();
  const lists = await Promise.all(cluster.nodes.map((node) => node.ctr('images', 'list', '--quiet')));
  const isEverywhere = lists.every((list) => list.split('\n').includes(image));
  if (!isEverywhere) await cluster.loadImage(image);
  return image;
};
