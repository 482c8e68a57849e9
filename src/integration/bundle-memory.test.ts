// What the shipped file loads of Node: some of it costs memory on every node of a cluster.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const bundle = resolve(import.meta.dirname, '../../dist/dynamic-networks.mjs');
const tellLoaded = 'process.on("exit", () => process.stderr.write(JSON.stringify(process.moduleLoadList)))';

it('the agent loads neither an undici nor what web streams are made of', async () => {
  const importing = `--import=data:text/javascript,${encodeURIComponent(tellLoaded)}`;
  const { stderr } = await run(process.execPath, [importing, bundle, 'agent', '--help']);
  const loaded: readonly string[] = JSON.parse(stderr);
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((name) => /undici|webstreams/.test(name))).toEqual([]);
});
