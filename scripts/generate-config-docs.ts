// Rewrites docs/configuration.md from the table of settings: `npm run generate`.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { agentFields } from '../src/config/agent-settings.ts';
import { renderConfigDocs } from './render-config-docs.ts';

await writeFile(resolve(import.meta.dirname, '../docs/configuration.md'), renderConfigDocs(agentFields));
