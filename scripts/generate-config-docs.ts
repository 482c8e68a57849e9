// Rewrites docs/configuration.md from the tables of settings: `npm run generate`.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { configDocs } from './render-config-docs.ts';

await writeFile(resolve(import.meta.dirname, '../docs/configuration.md'), configDocs());
