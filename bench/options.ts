// The command line of the bench.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readImageEntrypoint } from '../scripts/image-entrypoint.ts';
import { flagName } from '../src/config/load-settings.ts';
import { type Choice, embeddedChoice, realChoice } from './scenarios/all.ts';
import type { Scenario } from './scenarios/scenario.ts';

interface Given {
  readonly pods?: readonly number[];
  readonly only?: readonly string[];
  readonly repeat: number;
  readonly bundle: string;
  readonly nodeFlags: string;
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly multusMs: number;
  readonly name?: string;
  readonly output: 'table' | 'json';
  readonly profile?: true;
  readonly strict?: true;
  readonly real?: true;
  readonly cluster?: string;
  readonly reference?: string;
  readonly sharedProcessors?: true;
  readonly minutes: number;
  readonly seed: number;
}

export type Options = Omit<Given, 'only' | 'pods' | 'name'> & {
  readonly only: readonly Scenario[];
  readonly pods: readonly number[];
  readonly name: string;
};

const image = readImageEntrypoint();
const imageFlags = image.nodeFlags.join(' ');
/** Without the compiled code that is in the image: a build that is to be compared has none. */
const imageEnv = Object.entries(image.env)
  .filter(([name]) => !name.startsWith('NODE_COMPILE_CACHE'))
  .map((pair) => pair.join('='))
  .join(' ');
const defaultBundle = resolve(import.meta.dirname, '../dist/dynamic-networks.mjs');
/** Addresses and pods that a node of the harness has. */
const maxRealPods = 180;

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError(`${text} is not a whole number from 1 to 99999`);
  return Number(text);
};
const anyNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError(`${text} is not a whole number of at most nine digits`);
  return Number(text);
};
const wholeNumbers = (text: string): number[] => text.split(',').map(wholeNumber);
const names = (text: string): string[] => text.split(',');
const variables = (text: string): Record<string, string> => {
  const pairs = text.split(/\s+/).filter((pair) => pair !== '');
  const wrong = pairs.find((pair) => !/^\w+=/.test(pair));
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is not NAME=VALUE`);
  return Object.fromEntries(pairs.map((pair) => [pair.replace(/=.*$/, ''), pair.replace(/^\w+=/, '')]));
};
const fileName = (text: string): string => {
  if (!/^[\w-]{1,60}$/.test(text)) throw new InvalidArgumentError('letters, digits, _ and - only, 60 at most');
  return text;
};

const describeScenarios = ({ all }: Choice): string =>
  all.map(({ name, description }) => `  ${name.padEnd(8)} ${description}`).join('\n');

const program = new Command('npm run bench --')
  .description(
    'Measures what the agent costs, on the embedded cluster or, with --real, on a real one. Times are of this machine: compare ratios.',
  )
  .addOption(new Option('--pods <NUMBERS>', 'how many pods; else 100,500, real 30,100').argParser(wholeNumbers))
  .addOption(new Option('--only <NAMES>', 'scenarios to run; else all, but no soak').argParser(names))
  .addOption(
    new Option('--repeat <N>', 'run each scenario N times; the median counts').argParser(wholeNumber).default(1),
  )
  .addOption(new Option('--name <NAME>', 'of the file in bench/results; else embedded or real').argParser(fileName))
  .addOption(new Option('-o, --output <FORMAT>', 'on standard output').choices(['table', 'json']).default('table'))
  .option('--strict', 'exit with 1 when a budget is missed')
  .optionsGroup('On the embedded cluster:')
  .option('--bundle <PATH>', 'the agent’s program: another build, to compare', defaultBundle)
  .option('--node-flags <FLAGS>', 'flags of the agent’s node; by default those of the image', imageFlags)
  .addOption(
    new Option('--agent-env <VARS>', 'environment of the agent; by default that of the image')
      .argParser(variables)
      .default(variables(imageEnv), imageEnv),
  )
  .addOption(new Option('--multus-ms <MS>', 'how long Multus takes in `paced`').argParser(wholeNumber).default(98))
  .option('--profile', 'write CPU profiles of the agent to bench/results/profiles')
  .optionsGroup('On a real cluster:')
  .option('--real', 'measure there: a cluster of e2e/cluster is started, and removed at the end')
  .option('--cluster <NAME>', 'use this running one of the harness instead; it stays')
  .option('--reference <CMD>', 'put another controller, started by CMD, through the same: docs/benchmarks.md')
  .option('--shared-processors', 'control plane and bench may use the processors of the node with the pods, too')
  .addOption(new Option('--minutes <N>', 'length of the soak').argParser(wholeNumber).default(30))
  .addOption(
    new Option('--seed <N>', 'of the soak’s edits').argParser(anyNumber).default(Date.now() % 1_000_000, 'a new one'),
  )
  .addHelpText(
    'after',
    `\nScenarios:\n${describeScenarios(embeddedChoice)}\n\nScenarios on a real cluster:\n${describeScenarios(realChoice)}`,
  );

const chosen = ({ all, byDefault }: Choice, only: readonly string[] | undefined): readonly Scenario[] => {
  if (only === undefined) return byDefault;
  const unknown = only.filter((name) => !all.some((scenario) => scenario.name === name));
  if (unknown.length === 0) return all.filter(({ name }) => only.includes(name));
  const known = all.map(({ name }) => name).join(', ');
  return program.error(`error: --only: unknown here: ${unknown.join(', ')}; known: ${known}`, { exitCode: 2 });
};

/** Ends the process with a message when they make no sense. */
export const parseOptions = (args: readonly string[] = process.argv.slice(2)): Options => {
  const given: Given = program.parse(args, { from: 'user' }).opts();
  const needReal = (['cluster', 'reference', 'sharedProcessors'] as const).filter((name) => given[name] !== undefined);
  if (!given.real && needReal.length > 0) {
    program.error(`error: ${needReal.map(flagName).join(' and ')} cannot be without --real`, { exitCode: 2 });
  }
  const choice = given.real ? realChoice : embeddedChoice;
  const pods = (given.pods ?? choice.pods).toSorted((a, b) => a - b);
  if (given.real && pods.some((count) => count > maxRealPods)) {
    program.error(`error: --pods: a node of a real cluster has room for ${maxRealPods}`, { exitCode: 2 });
  }
  const name = given.name ?? (given.real ? 'real' : 'embedded');
  return { ...given, only: chosen(choice, given.only), pods, name };
};
