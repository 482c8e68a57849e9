// The plugin by krew, as docs/cli.md says: the real krew, built once like the parts of the cluster, in a folder of its own.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { ensureComponent } from '../cluster/build-components.ts';
import { canBuild } from '../fixture.ts';
import { makePerson, type Person } from '../person.ts';
import { makeKubectl } from '../target.ts';

let person: Person;
let krewRoot: string;

describe.skipIf(!canBuild)('the plugin by krew', () => {
  beforeAll(async () => {
    const { binDir } = await ensureComponent('krew');
    krewRoot = await realpath(await mkdtemp(join(tmpdir(), 'dn-krew-')));
    person = await makePerson({
      kubectl: makeKubectl(inject('target')),
      namespace: 'default',
      path: [join(krewRoot, 'bin'), binDir],
      env: { KREW_ROOT: krewRoot },
    });
    await person.types('npm run krew');
  }, 600_000);
  afterAll(async () => {
    await person.leaves();
    await rm(krewRoot, { recursive: true, force: true });
  });

  it('is installed, and runs against the cluster', async () => {
    expect(await person.tries('kubectl dnet --version')).toMatchObject({ exitCode: 1 });
    await person.types(documented.krewInstall);
    const plugin = (await person.types('command -v kubectl-dnet')).trim();
    expect(await realpath(plugin)).toBe(join(krewRoot, 'store', 'dnet', `v${packageJson.version}`, 'kubectl-dnet'));
    expect(await person.types('kubectl dnet --version')).toBe(`${packageJson.version}\n`);
    expect(await person.types('kubectl dnet status -A')).toContain('INTERFACE');
  });
});
