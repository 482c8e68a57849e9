import { describe, expect, it } from 'vitest';
import { versionOf } from './build-components.ts';

describe('versionOf', () => {
  it.each([
    ['a requirement in a block', 'require (\n\texample.org/tool v1.2.3 // indirect\n)', 'v1.2.3'],
    ['a requirement of its own', 'require example.org/tool v1.2.3', 'v1.2.3'],
    [
      'a replacement does not count',
      'replace example.org/tool => example.org/tool v0.9.0\nrequire example.org/tool v1.0.0',
      'v1.0.0',
    ],
  ])('%s', (_situation, goMod, version) => {
    expect(versionOf(goMod, 'example.org/tool')).toBe(version);
  });

  it('says which module is missing', () => {
    expect(() => versionOf('require example.org/toolbox v1.0.0', 'example.org/tool')).toThrow('example.org/tool');
  });
});
