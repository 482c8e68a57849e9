// Bundles the program into one file: `npm run build`. Bundling and dropping what is unused of client-node halves the agent's
// memory, so this file is what the image runs and what the tests start.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '..');

/** client-node re-exports its whole generated API from one module and does not tell bundlers that it is free of side effects. */
const dropUnused: Plugin = {
  name: 'drop-unused-client-node',
  setup(builder) {
    const entry = fileURLToPath(import.meta.resolve('@kubernetes/client-node'));
    builder.onResolve({ filter: /^@kubernetes\/client-node$/ }, () => ({ path: entry, sideEffects: false }));
    builder.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, importer, resolveDir }) =>
      importer.startsWith(dirname(entry)) ? { path: resolve(resolveDir, path), sideEffects: false } : undefined,
    );
  },
};

/**
 * KubeConfig can also make undici dispatchers, which nothing of ours asks for: requests go through src/transport. Loading
 * undici all the same would cost every agent several MiB.
 */
const leaveOutUndici: Plugin = {
  name: 'leave-out-undici',
  setup(builder) {
    const filter = /^undici$/;
    builder.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }));
    builder.onLoad({ filter, namespace: 'left-out' }, () => ({
      contents: `class LeftOut { constructor() { throw new Error('undici is not part of this bundle') } }
        export { LeftOut as Agent, LeftOut as ProxyAgent, LeftOut as fetch };`,
    }));
  },
};

/**
 * Node has an undici of its own, behind WebSocket and two more names of node:http. An import reads every name of a module, whichever it
 * asks for, and so loads it: 2.5 MiB of each agent's memory. A require reads only what is used.
 */
const requireHttp: Plugin = {
  name: 'require-http',
  setup(builder) {
    const filter = /^(node:)?http$/;
    builder.onResolve({ filter }, ({ namespace }) =>
      namespace === 'required' ? { path: 'node:http', external: true } : { path: 'node:http', namespace: 'required' },
    );
    builder.onLoad({ filter, namespace: 'required' }, () => ({ contents: "module.exports = require('node:http')" }));
  },
};

const controllerFile = 'dynamic-networks-controller.mjs';

/** The controller is a file of its own beside the program: an agent would pay for its code with memory, on every node. */
const controllerApart: Plugin = {
  name: 'controller-apart',
  setup(builder) {
    builder.onResolve({ filter: /^\.\/main-controller\.ts$/ }, () => ({ path: `./${controllerFile}`, external: true }));
  },
};

/** What is built: the program and its controller, the kubectl plugin, and a variant of the agent that kills itself at ledger transitions, for the crash tests. */
const targets = [
  { entry: 'src/main.ts', file: 'dynamic-networks.mjs' },
  { entry: 'src/main-controller.ts', file: controllerFile },
  { entry: 'src/main-dnet.ts', file: 'kubectl-dnet.mjs' },
  { entry: 'src/integration/crash/crashing-agent.ts', file: 'crashing-agent.mjs' },
];

/** The page of `kubectl dnet ui` is part of the plugin's one file: its script, style and markup as texts. */
const buildPage = async (): Promise<{ html: string; script: string; style: string }> => {
  const page = resolve(root, 'src/cli/ui/page');
  const common = { bundle: true, minify: true, write: false, logLevel: 'error', target: 'es2024' } as const;
  const [script, style] = await Promise.all([
    build({ ...common, entryPoints: [resolve(page, 'main.ts')], format: 'esm', platform: 'browser' }),
    build({ ...common, entryPoints: [resolve(page, 'style.css')], target: 'chrome123' }),
  ]);
  return {
    html: await readFile(resolve(page, 'index.html'), 'utf8'),
    script: script.outputFiles[0]?.text ?? '',
    style: style.outputFiles[0]?.text ?? '',
  };
};

const isQuiet = process.argv.includes('--quiet');
await mkdir(resolve(root, 'dist'), { recursive: true });
const uiAssets = JSON.stringify(await buildPage());
for (const { entry, file } of targets) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: resolve(root, 'dist', file),
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    // Names stay as they are, for stack traces and for errors that tell their class. Short ones with `keepNames` would be given
    // back to every function each time it is made, which cost a busy agent some 6 % of its CPU time.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: false,
    legalComments: 'linked', // licence notices of what is bundled, in a file beside it
    metafile: true,
    define: { UI_ASSETS: entry === 'src/main-dnet.ts' ? uiAssets : 'undefined' },
    plugins: [dropUnused, leaveOutUndici, requireHttp, controllerApart],
    logLevel: 'error',
    // Packages that are still CommonJS expect these three.
    banner: {
      js: [
        "import{createRequire as __createRequire}from'node:module';",
        'const require=__createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;',
      ].join(''),
    },
  });
  // What it was made from, for the bill of materials. Inputs of which nothing was kept are no part of it.
  const kept = Object.entries(metafile.outputs[`dist/${file}`]?.inputs ?? {}).filter(
    ([, part]) => part.bytesInOutput > 0,
  );
  await writeFile(resolve(root, 'dist', `${file}.inputs.json`), JSON.stringify(kept.map(([input]) => input)));
  await chmod(resolve(root, 'dist', file), 0o755); // kubectl starts its plugins as they are
  const bytes = metafile.outputs[`dist/${file}`]?.bytes ?? 0;
  if (!isQuiet) process.stdout.write(`dist/${file} ${(bytes / 1024).toFixed(0)} KiB\n`);
}
