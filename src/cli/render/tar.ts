// A gzipped tar archive of small text files, in the ustar format that every tar reads.
import { gzipSync } from 'node:zlib';

export interface ArchiveFile {
  readonly path: string;
  readonly content: string | Buffer;
  readonly isExecutable?: boolean;
}

const BLOCK = 512;

/** The same files give the same bytes: times and owners are fixed. */
export const makeArchive = (files: readonly ArchiveFile[], modified = new Date(0)): Buffer => {
  const parts = files.flatMap((file) => {
    const content = Buffer.from(file.content);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [headerOf(file, content.length, modified), content, padding];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
};

const headerOf = ({ path, isExecutable = false }: ArchiveFile, size: number, modified: Date): Buffer => {
  const { name, prefix } = splitPath(path);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(prefix, 345);
  header.write(octal(isExecutable ? 0o755 : 0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(Math.floor(modified.getTime() / 1000), 12), 136);
  header.write(' '.repeat(8), 148); // the checksum counts as spaces while it is made
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

/** A path of more than 100 bytes is divided at a slash: the format has a second place for what is before it. */
const splitPath = (path: string): { readonly name: string; readonly prefix: string } => {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  const at = path.indexOf('/', Math.max(0, path.length - 101));
  const [prefix, name] = [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
  if (at === -1 || Buffer.byteLength(prefix) > 155) throw new RangeError(`the path ${path} is too long for an archive`);
  return { name, prefix };
};
