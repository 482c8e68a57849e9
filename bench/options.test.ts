import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { allCommands } from '../docs/commands.ts';
import { parseOptions } from './options.ts';

const script = 'npm run bench';
const documented = [
  ...new Set(
    allCommands()
      .map(({ command }) => command)
      .filter((command) => command.startsWith(script) && !command.includes('--help')),
  ),
];

let said: string;
beforeEach(() => {
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}: ${said}`);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const argsOf = (command: string): string[] =>
  command.slice(script.length).replace(/^ -- /, '').split(' ').filter(Boolean);

it('the documentation has commands to try', () => {
  expect(documented.length).toBeGreaterThan(5);
});

it.each(documented)('takes what the documentation says: %s', (command) => {
  expect(parseOptions(argsOf(command)).only.length).toBeGreaterThan(0);
});

it.each([
  ['--cluster play', 'exit 2: error: --cluster cannot be without --real\n'],
  ['--shared-processors', 'exit 2: error: --shared-processors cannot be without --real\n'],
  ['--only sok', 'exit 2: error: --only: unknown here: sok; known: '],
  ['--real --pods 500', 'exit 2: error: --pods: a node of a real cluster has room for '],
])('refuses %s with what is wrong', (args, message) => {
  expect(() => parseOptions(args.split(' '))).toThrow(message);
});
