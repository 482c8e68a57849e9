// Images for pods: built by Docker, saved once into the cache as archives, imported into each node's containerd.
// No registry takes part, so manifests say `imagePullPolicy: Never` or `IfNotPresent`.
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ContainerRuntimeClient, GenericContainer, ImageName } from 'testcontainers';
import type { BaseComponentName, Component } from './build-components.ts';
import { cacheDir, imagesDir, sourceDir } from './paths.ts';
import { step } from './progress.ts';

/** The image of test pods, and of every pod's sandbox (node/containerd.toml names it too). */
export const busyboxImage = 'localhost/dynamic-networks/busybox:1';
const multusImage = 'localhost/dynamic-networks/multus:e2e';
const whereaboutsImage = 'localhost/dynamic-networks/whereabouts:e2e';
export const deviceNetworkImage = 'localhost/dynamic-networks/device-network:e2e';
/** What virt-controller runs as a virtual machine. */
export const launcherImage = 'localhost/dynamic-networks/virt-launcher:e2e';

type ImageRecipe = {
  readonly tag: string;
  readonly folder: string;
  readonly binaries: readonly string[];
  readonly buildArgs: Readonly<Record<string, string>>;
  /** Whatever the content depends on besides the files of the folder. */
  readonly dependsOn: string;
};

/** Writes the image to a file that nodes see under /images; returns the file's name. */
export const saveImage = async (client: ContainerRuntimeClient, tag: string): Promise<string> => {
  const image = client.container.dockerode.getImage(tag);
  const { Id: id } = await image.inspect();
  const name = `${createHash('sha256').update(tag).update(id).digest('hex').slice(0, 16)}.tar`;
  await writeArchive(client, tag, name);
  return name;
};

const writeArchive = async (client: ContainerRuntimeClient, tag: string, name: string): Promise<void> => {
  const path = join(imagesDir(), name);
  if (existsSync(path)) return;
  await mkdir(imagesDir(), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  await pipeline(await client.container.dockerode.getImage(tag).get(), createWriteStream(partial));
  await rename(partial, path);
};

const ensureArchive = async (client: ContainerRuntimeClient, recipe: ImageRecipe): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify([recipe.tag, recipe.buildArgs, recipe.dependsOn]));
  const files = (await readdir(recipe.folder)).sort().map((file) => join(recipe.folder, file));
  for (const file of files) hash.update(await readFile(file));
  const name = `${basename(recipe.folder)}-${hash.digest('hex').slice(0, 12)}.tar`;
  // Other images build on busybox, so Docker itself must have that one too.
  const isNeededInDocker =
    recipe.tag === busyboxImage && !(await client.image.exists(ImageName.fromString(busyboxImage)));
  if (existsSync(join(imagesDir(), name)) && !isNeededInDocker) return name;

  await mkdir(cacheDir(), { recursive: true });
  const context = await mkdtemp(join(cacheDir(), 'context-'));
  try {
    await cp(recipe.folder, context, { recursive: true });
    for (const binary of recipe.binaries) await copyFile(binary, join(context, basename(binary)));
    await step(`build image ${recipe.tag}`, async () => {
      const builder = GenericContainer.fromDockerfile(context).withBuildArgs({ ...recipe.buildArgs });
      await builder.build(recipe.tag, { deleteOnExit: false });
      await writeArchive(client, recipe.tag, name);
    });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  return name;
};

const folder = (name: string): string => join(sourceDir, 'images', name);

/** What images of pods are built on: busybox, wherever it comes from. */
export type BaseImage = { readonly tag: string; readonly dependsOn: string };

const ensureBusybox = (client: ContainerRuntimeClient, nodeImage: string): Promise<string> =>
  ensureArchive(client, {
    tag: busyboxImage,
    folder: folder('busybox'),
    binaries: [],
    buildArgs: { NODE_IMAGE: nodeImage },
    dependsOn: '',
  });

/** The harness' own. */
export const ensureBaseImage = async (client: ContainerRuntimeClient, nodeImage: string): Promise<BaseImage> => ({
  tag: busyboxImage,
  dependsOn: await ensureBusybox(client, nodeImage),
});

export const ensureLauncherImage = (client: ContainerRuntimeClient, base: BaseImage): Promise<string> =>
  ensureArchive(client, {
    tag: launcherImage,
    folder: folder('virt-launcher'),
    binaries: [],
    buildArgs: { BUSYBOX_IMAGE: base.tag },
    dependsOn: base.dependsOn,
  });

/** Named after what is in it, so that nodes never have an older one by the same name. */
export const virtControllerImage = ({ key }: Component): string => `localhost/dynamic-networks/virt-controller:${key}`;

export const ensureVirtControllerImage = (
  client: ContainerRuntimeClient,
  base: BaseImage,
  component: Component,
): Promise<string> =>
  ensureArchive(client, {
    tag: virtControllerImage(component),
    folder: folder('virt-controller'),
    binaries: [join(component.binDir, 'virt-controller')],
    buildArgs: { BUSYBOX_IMAGE: base.tag },
    dependsOn: `${component.key} ${base.dependsOn}`,
  });

export const ensureDeviceNetworkImage = (
  client: ContainerRuntimeClient,
  base: BaseImage,
  { binDir, key }: Component,
): Promise<string> =>
  ensureArchive(client, {
    tag: deviceNetworkImage,
    folder: folder('device-network'),
    binaries: ['sriov-like', 'device-plugin'].map((program) => join(binDir, program)),
    buildArgs: { BUSYBOX_IMAGE: base.tag },
    dependsOn: `${key} ${base.dependsOn}`,
  });

/** Archives of every image that the cluster itself runs, the sandbox image first. */
export const ensureClusterImages = async (
  client: ContainerRuntimeClient,
  nodeImage: string,
  components: Readonly<Record<BaseComponentName, Component>>,
): Promise<readonly string[]> => {
  const programs = (name: BaseComponentName, ...files: string[]): string[] =>
    files.map((file) => join(components[name].binDir, file));
  const busybox = await ensureBusybox(client, nodeImage);
  const multus = await ensureArchive(client, {
    tag: multusImage,
    folder: folder('multus'),
    binaries: programs('multus', 'multus-daemon', 'multus-shim'),
    buildArgs: { BUSYBOX_IMAGE: busyboxImage },
    dependsOn: `${components.multus.key} ${busybox}`,
  });
  const whereabouts = await ensureArchive(client, {
    tag: whereaboutsImage,
    folder: folder('whereabouts'),
    binaries: programs('whereabouts', 'whereabouts'),
    buildArgs: { BUSYBOX_IMAGE: busyboxImage },
    dependsOn: `${components.whereabouts.key} ${busybox}`,
  });
  return [busybox, multus, whereabouts];
};
