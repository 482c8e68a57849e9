// Measures what the agent adds to Multus: `npm run bench`. Numbers go to standard output, progress to standard error.
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, release } from 'node:os';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { budgetsOf } from './budgets.ts';
import { startEmbeddedWorld } from './embedded-world.ts';
import type { Measurement } from './measurement.ts';
import { mergeRuns, type Report, renderReport } from './report.ts';
import { scenarios } from './scenarios/all.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { BenchWorld } from './world.ts';

interface Options {
  readonly pods: readonly number[];
  readonly only: readonly Scenario[];
  readonly repeat: number;
  readonly bundle: string;
  readonly nodeFlags: string;
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly multusMs: number;
  readonly name: string;
  readonly output: 'table' | 'json';
  readonly profile?: true;
  readonly strict?: true;
  readonly real?: true;
  readonly reference?: string;
}

/** What deploy/Dockerfile starts the agent with. */
const imageFlags = '--max-semi-space-size=1 --max-old-space-size=96 --optimize-for-size';
const imageEnv = 'MALLOC_ARENA_MAX=1';
const defaultBundle = resolve(import.meta.dirname, '../dist/dynamic-networks.mjs');
const resultsDir = resolve(import.meta.dirname, 'results');
const began = performance.now();
const progress = (text: string): void => {
  process.stderr.write(`[${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s] ${text}\n`);
};

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError(`${text} is not a whole number from 1 to 99999`);
  return Number(text);
};
const wholeNumbers = (text: string): number[] => text.split(',').map(wholeNumber);
const namedScenarios = (text: string): Scenario[] => {
  const names = text.split(',');
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `unknown: ${unknown.join(', ')}; known: ${scenarios.map(({ name }) => name).join(', ')}`,
    );
  }
  return scenarios.filter(({ name }) => names.includes(name));
};
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

const program = new Command('npm run bench --')
  .description(
    'Measures what the bundled agent costs on the embedded cluster. Times are of this machine: compare ratios.',
  )
  .addOption(new Option('--pods <NUMBERS>', 'how many pods').argParser(wholeNumbers).default([100, 500], '100,500'))
  .addOption(new Option('--only <NAMES>', 'scenarios to run').argParser(namedScenarios).default(scenarios, 'all'))
  .addOption(
    new Option('--repeat <N>', 'run each scenario N times; the median counts').argParser(wholeNumber).default(1),
  )
  .option('--bundle <PATH>', 'the agent’s program: another build, to compare', defaultBundle)
  .option('--node-flags <FLAGS>', 'flags of the agent’s node; by default those of the image', imageFlags)
  .addOption(
    new Option('--agent-env <VARS>', 'environment of the agent; by default that of the image')
      .argParser(variables)
      .default(variables(imageEnv), imageEnv),
  )
  .addOption(new Option('--multus-ms <MS>', 'how long Multus takes in `paced`').argParser(wholeNumber).default(98))
  .option('--profile', 'write CPU profiles of the agent to bench/results/profiles')
  .addOption(new Option('--name <NAME>', 'of the file in bench/results').argParser(fileName).default('embedded'))
  .addOption(new Option('-o, --output <FORMAT>', 'on standard output').choices(['table', 'json']).default('table'))
  .option('--strict', 'exit with 1 when a budget is missed')
  .option('--real', 'not yet: measure on this node’s own Multus')
  .option('--reference <CMD>', 'not yet: measure another agent for comparison')
  .addHelpText(
    'after',
    `\nScenarios:\n${scenarios.map(({ name, description }) => `  ${name.padEnd(8)} ${description}`).join('\n')}`,
  );

const runAll = async (options: Options, startWorld: () => Promise<BenchWorld>): Promise<Measurement[][]> => {
  const runs: Measurement[][] = [];
  for (let run = 1; run <= options.repeat; run += 1) {
    const rows: Measurement[] = [];
    for (const scenario of options.only) {
      for (const pods of scenario.podCounts(options.pods)) {
        progress(`run ${run} of ${options.repeat}: ${scenario.name}, ${pods} pods`);
        const { multusMs } = options;
        rows.push(...(await scenario.run({ pods, startWorld, multusMs, progress: (text) => progress(`  ${text}`) })));
      }
    }
    runs.push(rows);
  }
  return runs;
};

const options: Options = program.parse().opts();
if (options.real || options.reference !== undefined) {
  program.error('error: --real and --reference are not there yet; only the embedded cluster can be measured', {
    exitCode: 2,
  });
}
const profileFlags = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(resultsDir, 'profiles')}`] : [];
const nodeFlags = [...options.nodeFlags.split(/\s+/).filter((flag) => flag !== ''), ...profileFlags];
let description = '';
const runs = await runAll(options, async () => {
  const world = await startEmbeddedWorld({ bundle: resolve(options.bundle), nodeFlags, env: options.agentEnv });
  description = world.description;
  return world;
});
const measurements = mergeRuns(runs);
const report: Report = {
  name: options.name,
  world: description,
  at: new Date().toISOString(),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${arch()}, Linux ${release()}, Node ${process.version}`,
  nodeFlags,
  agentEnv: options.agentEnv,
  repeat: options.repeat,
  measurements,
  budgets: budgetsOf(measurements),
  runs,
};
const json = `${JSON.stringify(report, null, 2)}\n`;
mkdirSync(resultsDir, { recursive: true });
writeFileSync(resolve(resultsDir, `${options.name}.json`), json);
progress(`written to bench/results/${options.name}.json`);
process.stdout.write(options.output === 'json' ? json : renderReport(report));
if (options.strict && report.budgets.some(({ isMet }) => !isMet)) process.exitCode = 1;
