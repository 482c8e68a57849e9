// The file that people install: what bundling breaks is only seen here.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { World } from '../harness.ts';

const bundle = resolve(import.meta.dirname, '../../../dist/kubectl-dnet.mjs');
let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  await world.stop();
});

const dnet = (...args: string[]) =>
  promisify(execFile)(process.execPath, [bundle, ...args], { env: { KUBECONFIG: world.cluster.kubeconfigPath } });

it('the bundled plugin plugs, shows and unplugs', async () => {
  const pod = await world.pod('web');
  expect((await dnet('plug', 'web', 'blue', '--interface', 'b0', '--wait')).stdout).toMatch(
    /^pod\/web: b0 on default\/blue plugged with /,
  );
  expect(world.links(pod)).toEqual(['b0']);
  expect((await dnet('status', 'web')).stdout).toMatch(/^web +b0 +default\/blue +yes +10\.10\.1\.\d+ +yes/m);
  await dnet('unplug', 'web', 'b0', '--wait');
  expect(world.links(pod)).toEqual([]);
});

it('exits as its documentation says', async () => {
  await expect(dnet('plug', 'nobody', 'blue')).rejects.toMatchObject({ code: 1, stdout: '' });
  await expect(dnet('plug')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("missing required argument 'POD'"),
  });
  expect((await dnet('--version')).stdout).toBe(`${packageJson.version}\n`);
  expect((await dnet('--help')).stdout).toContain('Exit codes: 0 done, 1 failed, 2 wrong usage');
});
