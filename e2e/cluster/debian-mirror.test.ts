import { describe, expect, it } from 'vitest';
import { debianMirrorsIn } from './debian-mirror.ts';

const oneLine = 'deb [arch=amd64] http://mirror.example/debian bookworm main\n';
const deb822 = 'Types: deb\n# http://old.example/debian\nURIs: https://mirror.example/debian/\nSuites: bookworm\n';

describe('debianMirrorsIn', () => {
  it.each([
    ['a one-line source', [oneLine], ['http://mirror.example/debian']],
    ['a deb822 source, comments aside', [deb822], ['https://mirror.example/debian/']],
    ['security and third-party archives are not mirrors', ['deb http://mirror.example/debian-security x main\n'], []],
    ['a source that is commented out', [`#${oneLine}`], []],
    ['no sources at all', [], []],
  ])('%s', (_situation, sources, mirrors) => {
    expect(debianMirrorsIn(sources)).toEqual(mirrors);
  });
});
