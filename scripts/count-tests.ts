// `node scripts/count-tests.ts report.json`: prints "passed failed skipped" of a report in vitest's JSON format.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

const [path = ''] = process.argv.slice(2);
const report = reportSchema.parse(JSON.parse(await readFile(path, 'utf8')));
// A file that failed without a failing test, because it cannot be loaded or a hook of it threw, counts as one.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
);
const failed = report.numFailedTests + brokenFiles.length;
process.stdout.write(`${report.numPassedTests} ${failed} ${report.numPendingTests + report.numTodoTests}\n`);
