// Rewrites deploy/monitoring/dashboard.json: `npm run generate`.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { renderDashboard } from './render-dashboard.ts';

await writeFile(resolve(import.meta.dirname, '../deploy/monitoring/dashboard.json'), renderDashboard());
