// `npm run krew`: dist/kubectl-dnet.tar.gz with the plugin, and dist/dnet.yaml, the manifest by which krew installs it:
//   kubectl krew install --manifest=dist/dnet.yaml --archive=dist/kubectl-dnet.tar.gz
// With the archive on a server, --url writes its address into the manifest.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { completionScript } from '../src/cli/render/completion-scripts.ts';
import { makeArchive } from '../src/cli/render/tar.ts';
import { krewManifest } from './krew-manifest.ts';

const root = resolve(import.meta.dirname, '..');
const dist = (file: string): string => resolve(root, 'dist', file);
const { values } = parseArgs({
  options: { url: { type: 'string', default: 'https://example.invalid/kubectl-dnet.tar.gz' } },
});

const archive = makeArchive([
  { path: 'kubectl-dnet', content: readFileSync(dist('kubectl-dnet.mjs')), isExecutable: true },
  { path: 'kubectl_complete-dnet', content: completionScript('kubectl'), isExecutable: true },
  { path: 'LICENSE', content: readFileSync(resolve(root, 'LICENSE')) },
  { path: 'LICENSES-OF-LIBRARIES.txt', content: readFileSync(dist('kubectl-dnet.mjs.LEGAL.txt')) },
]);
const sha256 = createHash('sha256').update(archive).digest('hex');
writeFileSync(dist('kubectl-dnet.tar.gz'), archive);
writeFileSync(dist('dnet.yaml'), krewManifest({ version: packageJson.version, url: values.url, sha256 }));
process.stdout.write(`dist/kubectl-dnet.tar.gz ${sha256}\ndist/dnet.yaml\n`);
