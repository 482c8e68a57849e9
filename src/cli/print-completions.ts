// What shells ask for: `kubectl-dnet __complete WORD…`, answered as kubectl expects it of plugins.
import type { Command, Option } from 'commander';
import { namesFor } from './gather/completions.ts';
import { argumentKinds, type Candidate, complete, type Wanted } from './logic/complete.ts';
import { loadConfig, makeSession, type Run } from './make-session.ts';
import type { Terminal } from './render/terminal.ts';

/** Nobody waits longer for a shell. */
const TIMEOUT_MS = 3000;

/** Never an error: a shell that cannot complete stays silent. */
export const printCompletions = async (
  run: Run,
  terminal: Terminal,
  program: Command,
  words: readonly string[],
): Promise<void> => {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    arguments: argumentKinds(command.name()),
    options: command.options.map(shapeOf),
  }));
  const wanted = complete(words, commands, program.options.map(shapeOf));
  const values: readonly Candidate[] =
    wanted.from === 'here'
      ? wanted.values
      : (await lookUp(run, terminal, wanted, words).catch(() => [])).map((value) => ({ value }));
  const typed = words.at(-1) ?? '';
  for (const { value, description } of values.filter((each) => each.value.startsWith(typed))) {
    terminal.print(description === undefined ? value : `${value}\t${description}`);
  }
  terminal.print(wanted.from === 'files' ? ':0' : ':4');
};

const shapeOf = ({ short, long, required, optional, description }: Option) => ({
  flags: [short, long].flatMap((flag) => flag ?? []),
  takesValue: required || optional,
  description,
});

const lookUp = async (
  run: Run,
  terminal: Terminal,
  wanted: Wanted,
  words: readonly string[],
): Promise<readonly string[]> => {
  const [namespace, context, kubeconfig] = [['-n', '--namespace'], ['--context'], ['--kubeconfig']].map((names) =>
    findValue(words, names),
  );
  const flags = {
    output: 'table',
    ...(namespace !== undefined && { namespace }),
    ...(context !== undefined && { context }),
    ...(kubeconfig !== undefined && { kubeconfig }),
  };
  if (wanted.from === 'kubeconfig')
    return loadConfig(run, flags)
      .getContexts()
      .map(({ name }) => name);
  if (wanted.from !== 'cluster') return [];
  const session = makeSession(run, terminal, flags, TIMEOUT_MS);
  try {
    return await namesFor(session, wanted);
  } finally {
    session.client.close();
  }
};

/** What a flag was given before the word that is being typed. */
const findValue = (words: readonly string[], names: readonly string[]): string | undefined => {
  const before = words.slice(0, -1);
  const index = before.findLastIndex((word) => names.includes(word));
  return index === -1 ? undefined : before[index + 1];
};
