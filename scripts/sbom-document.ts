// What the image consists of, as a CycloneDX document: Node, and every package of which a file is in the bundle. Pure, and the
// same for the same input: no date and no random number, so that two builds of one commit can be compared.

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
}

export interface SbomInput {
  readonly name: string;
  readonly version: string;
  /** Files that the bundler read, relative to the root of the project. */
  readonly bundled: readonly string[];
  /** `packages` of package-lock.json: by path below the root. */
  readonly locked: Readonly<Record<string, LockedPackage>>;
}

/** The package that runs the bundle: it is in the image as a program, not in the bundle. */
const NODE = 'node_modules/node';

export const composeSbom = ({ name, version, bundled, locked }: SbomInput): object => {
  const paths = new Set([NODE, ...bundled.flatMap((file) => packagePathOf(file) ?? [])]);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, purl: `pkg:npm/${name}@${version}` } },
    components: [...paths].sort().map((path) => componentOf(path, locked)),
  };
};

/** `node_modules/a/node_modules/@b/c/x.js` is of the package at `node_modules/a/node_modules/@b/c`. */
const packagePathOf = (file: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];

const componentOf = (path: string, locked: SbomInput['locked']): object => {
  const { version, integrity, license } = locked[path] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`${path} is in the image, but package-lock.json does not pin it with its hash`);
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [algorithm = '', digest = ''] = integrity.split('-');
  return {
    type: path === NODE ? 'platform' : 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [
      { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') },
    ],
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
};
