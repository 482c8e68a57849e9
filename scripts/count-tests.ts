// `node scripts/count-tests.ts report.json`, of a report in vitest's JSON format: prints "passed failed skipped", then a line for
// each test that failed, with the first line of why.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.nullish(z.array(z.string())) }),
      ),
    }),
  ),
});

const [path = ''] = process.argv.slice(2);
const report = reportSchema.parse(JSON.parse(await readFile(path, 'utf8')));

const firstLineOf = (text = ''): string => stripVTControlCharacters(text).trim().split('\n', 1)[0] ?? '';

// A file that failed without a failing test, because it cannot be loaded or a hook of it threw, counts as one.
const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLineOf(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLineOf(failureMessages?.[0])}`);
});
const skipped = report.numPendingTests + report.numTodoTests;
process.stdout.write(`${[`${report.numPassedTests} ${failures.length} ${skipped}`, ...failures].join('\n')}\n`);
