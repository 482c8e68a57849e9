// The image of a cluster node: node/Dockerfile on a base image. The base is pulled, or, where nothing can be pulled,
// made with debootstrap from the mirror that this machine's own apt sources name.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerRuntimeClient, GenericContainer, ImageName } from 'testcontainers';
import { findDebianMirror } from './debian-mirror.ts';
import { findProgram, isRoot } from './machine-check.ts';
import { cacheDir, sourceDir } from './paths.ts';
import { say, step } from './progress.ts';
import { runCommand } from './run-command.ts';

const pulledBase = 'debian:bookworm-slim';
const pullDeadlineMs = 120_000;
const contextDir = join(sourceDir, 'node');

/** Image name of the base, or `debootstrap`; unset means: pull, else debootstrap. */
const baseSetting = (): string | undefined => process.env['DYNAMIC_NETWORKS_NODE_BASE'] || undefined;

const osRelease = (field: string): string | undefined => {
  const line = readFileSync('/etc/os-release', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${field}=`));
  return line?.slice(field.length + 1).replaceAll('"', '');
};

const sourceHash = async (extra: string): Promise<string> => {
  const hash = createHash('sha256').update(extra);
  for (const file of (await readdir(contextDir)).sort())
    hash.update(file).update(await readFile(join(contextDir, file)));
  return hash.digest('hex').slice(0, 12);
};

const debootstrapBase = async (client: ContainerRuntimeClient): Promise<string> => {
  const suite = osRelease('ID') === 'debian' ? (osRelease('VERSION_CODENAME') ?? 'bookworm') : 'bookworm';
  const packages = (await readFile(join(contextDir, 'packages'), 'utf8')).trim().split('\n');
  const hash = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12);
  const tag = `localhost/dynamic-networks/node-base:${suite}-${hash}`;
  if (await client.image.exists(ImageName.fromString(tag))) return tag;

  const debootstrap = findProgram('debootstrap');
  const mirror = findDebianMirror();
  if (debootstrap === undefined || !isRoot()) {
    throw new Error(
      `no base image can be pulled, and debootstrap needs root and its package; run ${join(sourceDir, 'install-packages.sh')} as root`,
    );
  }
  if (mirror === undefined) {
    throw new Error('no Debian mirror in the apt sources of this machine: name one in DYNAMIC_NETWORKS_DEBIAN_MIRROR');
  }
  await mkdir(cacheDir(), { recursive: true });
  const rootfs = await mkdtemp(join(cacheDir(), 'rootfs-'));
  try {
    const command = [debootstrap, '--variant=minbase', `--include=${packages.join(',')}`, suite, rootfs, mirror];
    await step(`make a base image with debootstrap (${suite})`, () => runCommand(command));
    await step('import the base image', () => importFolder(client, rootfs, tag));
  } finally {
    await rm(rootfs, { recursive: true, force: true });
  }
  return tag;
};

const importFolder = async (client: ContainerRuntimeClient, folder: string, tag: string): Promise<void> => {
  const tar = spawn('tar', ['-C', folder, '--numeric-owner', '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [repo, version] = [tag.slice(0, tag.lastIndexOf(':')), tag.slice(tag.lastIndexOf(':') + 1)];
  const [reply] = await Promise.all([
    client.container.dockerode.importImage(tar.stdout, { repo, tag: version }),
    once(tar, 'close'),
  ]);
  reply.resume();
  await once(reply, 'end');
};

const pullBase = async (client: ContainerRuntimeClient, image: string): Promise<string> => {
  const name = ImageName.fromString(image);
  if (await client.image.exists(name)) return image;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`no answer in ${pullDeadlineMs / 1000} s`));
    setTimeout(fail, pullDeadlineMs).unref();
  });
  await step(`pull ${image}`, () => Promise.race([client.image.pull(name), timeout]));
  return image;
};

const ensureBase = async (client: ContainerRuntimeClient, setting: string | undefined): Promise<string> => {
  if (setting === 'debootstrap') return debootstrapBase(client);
  if (setting !== undefined) return pullBase(client, setting);
  try {
    return await pullBase(client, pulledBase);
  } catch (error) {
    say(
      `${pulledBase} cannot be pulled (${error instanceof Error ? error.message : String(error)}): using debootstrap`,
    );
    return debootstrapBase(client);
  }
};

/** The tag does not depend on where the base came from, unless one was asked for by name. */
export const ensureNodeImage = async (client: ContainerRuntimeClient): Promise<string> => {
  const setting = baseSetting();
  const tag = `localhost/dynamic-networks/node:${await sourceHash(setting === 'debootstrap' ? '' : (setting ?? ''))}`;
  if (await client.image.exists(ImageName.fromString(tag))) return tag;
  const base = await ensureBase(client, setting);
  await step(`build the node image on ${base}`, () =>
    GenericContainer.fromDockerfile(contextDir).withBuildArgs({ BASE: base }).build(tag, { deleteOnExit: false }),
  );
  return tag;
};
