// The objects of deploy/ as kustomize reads them: resources of a kustomization and of those below it, and components. Only
// what deploy/ uses of kustomize is understood; the real kustomize is compared with in the end-to-end suite.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import * as z from 'zod/mini';

export type KubeObject = { [key: string]: unknown };

const kustomization = z.object({
  resources: z.optional(z.array(z.string())),
  configMapGenerator: z.optional(
    z.array(z.object({ name: z.string(), namespace: z.string(), files: z.array(z.string()) })),
  ),
  patches: z.optional(
    z.array(z.object({ target: z.object({ kind: z.string(), name: z.string() }), patch: z.string() })),
  ),
  images: z.optional(z.array(z.object({ name: z.string(), newName: z.string(), newTag: z.string() }))),
});

export interface SourceFile {
  /** Below deploy/. */
  readonly path: string;
  readonly objects: readonly KubeObject[];
}

export interface Kustomization {
  readonly files: readonly SourceFile[];
  readonly configMaps: readonly { readonly name: string; readonly file: string; readonly content: string }[];
  readonly patches: readonly {
    readonly target: { readonly kind: string; readonly name: string };
    readonly patch: string;
  }[];
  readonly image: { readonly name: string; readonly newName: string; readonly newTag: string } | undefined;
}

const object = z.record(z.string(), z.unknown());

const readObjects = (text: string): KubeObject[] =>
  loadAll(text)
    .filter((document) => document !== null && document !== undefined)
    .map((document) => object.parse(document));

export const readKustomization = (deploy: string, folder = ''): Kustomization => {
  const read = (path: string): string => readFileSync(join(deploy, folder, path), 'utf8');
  const [head] = readObjects(read('kustomization.yaml'));
  const { resources = [], configMapGenerator = [], patches = [], images = [] } = kustomization.parse(head);
  const isFile = (resource: string) => resource.endsWith('.yaml');
  const below = resources
    .filter((resource) => !isFile(resource))
    .map((name) => readKustomization(deploy, join(folder, name)));
  return {
    files: [
      ...resources.filter(isFile).map((name) => ({ path: join(folder, name), objects: readObjects(read(name)) })),
      ...below.flatMap(({ files }) => files),
    ],
    configMaps: [
      ...configMapGenerator.flatMap(({ name, files }) => files.map((file) => ({ name, file, content: read(file) }))),
      ...below.flatMap(({ configMaps }) => configMaps),
    ],
    patches: [...patches, ...below.flatMap((inner) => inner.patches)],
    image: images[0] ?? below.find(({ image }) => image !== undefined)?.image,
  };
};
