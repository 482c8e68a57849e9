// Bundles the program into one file: `npm run build`. Bundling and dropping what is unused of client-node halves the agent's
// memory, so this file is what the image runs and what the tests start.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const outfile = resolve(root, 'dist/dynamic-networks.mjs');

/** client-node re-exports its whole generated API from one module and does not tell bundlers that it is free of side effects. */
const dropUnused: Plugin = {
  name: 'drop-unused-client-node',
  setup(builder) {
    builder.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === 'resolved' || !rest.importer) return undefined;
      const found = await builder.resolve(path, {
        importer: rest.importer,
        resolveDir: rest.resolveDir,
        kind: rest.kind,
        pluginData: 'resolved',
      });
      if (found.errors.length > 0 || !found.path.includes('@kubernetes/client-node')) return undefined;
      return { ...found, sideEffects: false };
    });
  },
};

await mkdir(resolve(root, 'dist'), { recursive: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  minify: true,
  keepNames: true,
  sourcemap: false,
  legalComments: 'none',
  metafile: true,
  plugins: [dropUnused],
  logLevel: 'error',
  // CommonJS packages find these in every module of theirs; an ES module has none of them. Without `__filename`
  // write-file-atomic cannot name its temporary files, and the agent cannot write its ledger.
  banner: {
    js: [
      "import{createRequire as __createRequire}from'node:module';",
      'const require=__createRequire(import.meta.url);',
      'const __filename=import.meta.filename,__dirname=import.meta.dirname;',
    ].join(''),
  },
});

if (!process.argv.includes('--quiet')) {
  const bytes = Object.values(result.metafile.outputs)[0]?.bytes ?? 0;
  process.stdout.write(`dist/dynamic-networks.mjs ${(bytes / 1024).toFixed(0)} KiB\n`);
}
