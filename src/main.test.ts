// The program as a person starts it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentFields } from './config/agent-settings.ts';
import { envName, flagName } from './config/load-settings.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = async (...args: string[]): Promise<Ended> => {
  const command = [join(import.meta.dirname, 'main.ts'), ...args];
  const env = { PATH: process.env['PATH'] };
  return await promisify(execFile)(process.execPath, command, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ended) => error,
  );
};

describe('agent --help', () => {
  let help: string;
  beforeAll(async () => {
    const { code, stdout } = await run('agent', '--help');
    expect(code).toBe(0);
    help = stdout.replaceAll(/\s+/g, ' ');
  });

  it.each(Object.entries(agentFields))(
    'tells of %s: flag, variable, meaning, what is allowed and the default',
    (name, field) => {
      const fallback =
        field.default === undefined ? '; must be given' : field.default === '' ? '' : `; default ${field.default}`;
      expect(help).toContain(
        `${flagName(name)} <${field.placeholder}> ${field.description}. Allowed: ${field.allowed} (env ${envName(name)}${fallback})`,
      );
    },
  );

  it('tells of the file and of what wins', () => {
    expect(help).toContain('--config <PATH>');
    expect(help).toContain('Flags win over the environment, the environment over the file, the file over defaults.');
  });
});

describe('a start that cannot succeed', () => {
  it('for lack of settings ends with code 2 and every problem, without a stack', async () => {
    const { code, stderr } = await run('agent', '--concurrency', '0');
    expect(code).toBe(2);
    expect(stderr).toContain('concurrency (from flag --concurrency) is "0"; allowed: a whole number from 1 to 64');
    expect(stderr).toContain('nodeName must be given');
    expect(stderr).not.toContain('    at ');
  });

  it('for an option that there is not ends with a hint', async () => {
    const { code, stderr } = await run('agent', '--nodename', 'a');
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('--help lists every option')]);
  });
});
