// Collects what the agent's image consists of in dist/image, the build context of deploy/Dockerfile: `npm run image`.
// Node comes from the `node` package, so it is the version that the tests ran with. With --no-libraries only Node and the
// program are collected, for a base image that has the C and C++ libraries already.
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, realpath, rm, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readImageEntrypoint } from './image-entrypoint.ts';
import { rehearse } from './rehearse.ts';

const root = resolve(import.meta.dirname, '..');
const image = resolve(root, 'dist/image');
const node = await realpath(resolve(root, 'node_modules/node/bin/node'));

/** One date for every file: when it was built is no part of the image. */
const FIXED_DATE = new Date('2020-01-01T00:00:00Z');

interface ImageFile {
  readonly from: string;
  /** Absolute, inside the image. */
  readonly to: string;
  readonly mode: number;
}

/** Libraries keep the paths at which the loader finds them here: it looks in the same places inside the image. */
const librariesOf = (binary: string): ImageFile[] => {
  const listing = execFileSync('ldd', [binary], { encoding: 'utf8' });
  if (listing.includes('not found')) throw new Error(`${binary} lacks libraries on this machine:\n${listing}`);
  const paths = [...listing.matchAll(/(?:=> )?(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
  if (paths.length === 0) throw new Error(`ldd names no library of ${binary}:\n${listing}`);
  return paths.map((path) => ({ from: path, to: path, mode: 0o755 }));
};

const place = async ({ from, to, mode }: ImageFile): Promise<void> => {
  const target = join(image, to);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(await realpath(from), target);
  await chmod(target, mode);
};

/** Deepest first: a file that is touched touches its directory. */
const setDates = async (directory: string): Promise<void> => {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await setDates(path);
    else await utimes(path, FIXED_DATE, FIXED_DATE);
  }
  await utimes(directory, FIXED_DATE, FIXED_DATE);
};

const entrypoint = readImageEntrypoint();
const program: ImageFile[] = [
  { from: node, to: entrypoint.node, mode: 0o755 },
  { from: resolve(root, 'dist/dynamic-networks.mjs'), to: entrypoint.program, mode: 0o644 },
  {
    from: resolve(root, 'dist/dynamic-networks-controller.mjs'),
    to: '/usr/local/lib/dynamic-networks/dynamic-networks-controller.mjs',
    mode: 0o644,
  },
  {
    from: resolve(root, 'dist/dynamic-networks-controller.mjs.LEGAL.txt'),
    to: '/usr/share/doc/dynamic-networks/THIRD-PARTY-CONTROLLER',
    mode: 0o644,
  },
  { from: resolve(root, 'LICENSE'), to: '/usr/share/doc/dynamic-networks/LICENSE', mode: 0o644 },
  {
    from: resolve(root, 'dist/dynamic-networks.mjs.LEGAL.txt'),
    to: '/usr/share/doc/dynamic-networks/THIRD-PARTY',
    mode: 0o644,
  },
];
const files = process.argv.includes('--no-libraries') ? program : [...program, ...librariesOf(node)];

await rm(image, { recursive: true, force: true });
for (const file of files) await place(file);
const compiled = await rehearse({
  ...entrypoint,
  node: join(image, entrypoint.node),
  program: join(image, entrypoint.program),
  compiledDirectory: join(image, entrypoint.compiledDirectory),
});
await setDates(image);
const contents = [...files.map(({ to }) => to), ...compiled.map((file) => file.slice(image.length))];
process.stdout.write(`dist/image ${contents.join(' ')}\n`);
