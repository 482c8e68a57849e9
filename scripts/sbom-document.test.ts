import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { composeSbom, type LockedPackage } from './sbom-document.ts';

const integrityOf = (text: string): string => `sha512-${createHash('sha512').update(text).digest('base64')}`;
const locked: Readonly<Record<string, LockedPackage>> = {
  'node_modules/node': { version: '24.1.0', integrity: integrityOf('node'), license: 'MIT' },
  'node_modules/pino': { version: '10.0.0', integrity: integrityOf('pino'), license: 'MIT' },
  'node_modules/@grpc/grpc-js': { version: '1.2.3', integrity: integrityOf('grpc'), license: 'Apache-2.0' },
  'node_modules/pino/node_modules/pino': { version: '9.0.0', integrity: integrityOf('inner') },
  'node_modules/vitest': { version: '5.0.0', integrity: integrityOf('vitest') },
  'node_modules/unpinned': { version: '1.0.0' },
};
const compose = (...bundled: string[]) => composeSbom({ name: 'p', version: '0.1.0', bundled, locked });
const sourcesAndPackages = ['src/main.ts', 'node_modules/pino/lib/a.js', 'node_modules/pino/b.js'];

describe('the bill of materials', () => {
  it('has Node and each package once, with version, licence and hash; what was not bundled is not in it', () => {
    expect(compose(...sourcesAndPackages, 'node_modules/@grpc/grpc-js/x.js')).toMatchObject({
      bomFormat: 'CycloneDX',
      components: [
        { name: '@grpc/grpc-js', version: '1.2.3', purl: 'pkg:npm/%40grpc/grpc-js@1.2.3' },
        { name: 'node', type: 'platform' },
        {
          name: 'pino',
          type: 'library',
          licenses: [{ expression: 'MIT' }],
          hashes: [{ alg: 'SHA-512', content: createHash('sha512').update('pino').digest('hex') }],
        },
      ],
    });
  });

  it('tells two versions of one package apart', () => {
    const document = compose('node_modules/pino/a.js', 'node_modules/pino/node_modules/pino/a.js');
    expect(document).toMatchObject({ components: [{ name: 'node' }, { version: '10.0.0' }, { version: '9.0.0' }] });
  });

  it('is the same whenever it is made', () => {
    expect(JSON.stringify(compose(...sourcesAndPackages))).toBe(
      JSON.stringify(compose(...sourcesAndPackages.toReversed())),
    );
  });

  it.each(['node_modules/unpinned/a.js', 'node_modules/unknown/a.js'])(
    'cannot be made with %s in the image',
    (file) => {
      expect(() => compose(file)).toThrow(/does not pin it/);
    },
  );
});
