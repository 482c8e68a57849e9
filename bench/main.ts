// Measures what the agent adds to Multus: `npm run bench`. Numbers go to standard output, progress to standard error.
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, release } from 'node:os';
import { resolve } from 'node:path';
import { budgetsOf } from './budgets.ts';
import { startEmbeddedWorld } from './embedded-world.ts';
import type { Measurement } from './measurement.ts';
import { type Options, parseOptions } from './options.ts';
import { openRealBench } from './real/real-bench.ts';
import type { SoakOptions } from './real/soak.ts';
import { mergeRuns, type Report, renderReport } from './report.ts';
import { isForReference } from './scenarios/all.ts';
import type { BenchWorld } from './world.ts';

/** Who is measured: ours, and with `--reference` another after it. */
interface Side {
  readonly prefix: '' | 'reference ';
  readonly startWorld: () => Promise<BenchWorld>;
}

const resultsDir = resolve(import.meta.dirname, 'results');
const began = performance.now();
const progress = (text: string): void => {
  process.stderr.write(`[${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s] ${text}\n`);
};

const runAll = async (options: Options, sides: readonly Side[], soak?: SoakOptions): Promise<Measurement[][]> => {
  const { only, repeat, multusMs } = options;
  const runs: Measurement[][] = [];
  for (let run = 1; run <= repeat; run += 1) {
    const rows: Measurement[] = [];
    for (const scenario of only) {
      for (const pods of scenario.podCounts(options.pods)) {
        for (const { prefix, startWorld } of sides) {
          if (prefix !== '' && !isForReference(scenario)) continue;
          progress(`run ${run} of ${repeat}: ${prefix}${scenario.name}, ${pods} pods`);
          const context = { pods, startWorld, multusMs, progress: (text: string) => progress(`  ${text}`) };
          const measured = await scenario.run({ ...context, ...(soak && { soak }) });
          rows.push(...measured.map((row) => ({ ...row, scenario: prefix + row.scenario })));
        }
      }
    }
    runs.push(rows);
  }
  return runs;
};

interface Measured {
  readonly world: string;
  readonly nodeFlags: readonly string[];
  readonly runs: readonly (readonly Measurement[])[];
}

const measureEmbedded = async (options: Options): Promise<Measured> => {
  const profileFlags = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(resultsDir, 'profiles')}`] : [];
  const nodeFlags = [...options.nodeFlags.split(/\s+/).filter((flag) => flag !== ''), ...profileFlags];
  let world = '';
  const startWorld = async (): Promise<BenchWorld> => {
    const started = await startEmbeddedWorld({ bundle: resolve(options.bundle), nodeFlags, env: options.agentEnv });
    world = started.description;
    return started;
  };
  const runs = await runAll(options, [{ prefix: '', startWorld }]);
  return { world, nodeFlags, runs };
};

const measureReal = async (options: Options): Promise<Measured> => {
  const { cluster, reference, sharedProcessors = false, minutes, seed } = options;
  const real = await openRealBench({
    ...(cluster !== undefined && { cluster }),
    ...(reference !== undefined && { reference }),
    hasOwnProcessors: !sharedProcessors,
  });
  let hasFailed = true;
  try {
    const sides: Side[] = [{ prefix: '', startWorld: real.startWorld }];
    if (reference !== undefined) sides.push({ prefix: 'reference ', startWorld: real.startReferenceWorld });
    const runs = await runAll(options, sides, { minutes, seed, agent: real.agent, bench: real.bench });
    hasFailed = false;
    return { world: real.description, nodeFlags: options.nodeFlags.split(/\s+/), runs };
  } finally {
    await real.close({ hasFailed });
  }
};

const options = parseOptions();
const { world, nodeFlags, runs } = await (options.real ? measureReal : measureEmbedded)(options);
const measurements = mergeRuns(runs);
const report: Report = {
  name: options.name,
  world,
  at: new Date().toISOString(),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${arch()}, Linux ${release()}, Node ${process.version}`,
  nodeFlags,
  agentEnv: options.agentEnv,
  repeat: options.repeat,
  measurements,
  budgets: budgetsOf(measurements, options.real ? 'real' : 'embedded'),
  runs,
};
const json = `${JSON.stringify(report, null, 2)}\n`;
mkdirSync(resultsDir, { recursive: true });
writeFileSync(resolve(resultsDir, `${options.name}.json`), json);
progress(`written to bench/results/${options.name}.json`);
process.stdout.write(options.output === 'json' ? json : renderReport(report));
if (options.strict && report.budgets.some(({ isMet }) => !isMet)) process.exitCode = 1;
