// Known vulnerabilities of what the program is made of: `npm run audit`. With --strict, not having been answered fails too.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { readAudit } from './audit-verdict.ts';

const isStrict = process.argv.includes('--strict');
/** npm ends with an error when it found something, and when it was not answered: what it printed says which. */
const output = await new Promise<string>((done) => {
  const cwd = resolve(import.meta.dirname, '..');
  execFile('npm', ['audit', '--omit=dev', '--json'], { cwd, timeout: 120_000 }, (_error, stdout) => done(stdout));
});
const verdict = readAudit(output);
switch (verdict.kind) {
  case 'clean':
    process.stdout.write('no known vulnerability\n');
    break;
  case 'found':
    process.stdout.write(`known vulnerabilities in ${verdict.packages.join(', ')}: see npm audit --omit=dev\n`);
    process.exitCode = 1;
    break;
  case 'notAsked':
    process.stdout.write(`NOT AUDITED: the registry did not answer: ${verdict.reason}\n`);
    process.exitCode = isStrict ? 1 : 0;
    break;
}
