// From rows of numbers to what is printed. Pure: measures nothing, reads nothing.
import type { Budget } from './budgets.ts';
import type { Measurement } from './measurement.ts';
import { median } from './percentiles.ts';

export interface Report {
  readonly name: string;
  /** Where the agent ran, as far as it matters for the numbers. */
  readonly world: string;
  readonly at: string;
  readonly machine: string;
  readonly nodeFlags: readonly string[];
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly repeat: number;
  /** Medians of all runs. */
  readonly measurements: readonly Measurement[];
  readonly budgets: readonly Budget[];
  readonly runs: readonly (readonly Measurement[])[];
}

const identityOf = ({ scenario, pods, step }: Measurement): string => `${scenario} ${pods} ${step}`;

/** One row per scenario, number of pods and step, with the median of each value, in the order of the first run. */
export const mergeRuns = (runs: readonly (readonly Measurement[])[]): Measurement[] =>
  [...Map.groupBy(runs.flat(), identityOf).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const names = new Set(same.flatMap(({ values }) => Object.keys(values)));
    const values = [...names].map((name) => [name, median(same.flatMap((row) => row.values[name] ?? []))] as const);
    return [{ ...first, values: Object.fromEntries(values) }];
  });

interface Column {
  readonly title: string;
  readonly value: string;
}

const TITLES: readonly Column[] = [
  { title: 'total ms', value: 'totalMs' },
  { title: 'floor ms', value: 'floorMs' },
  { title: '× floor', value: 'ratio' },
  { title: 'least ms', value: 'leastMs' },
  { title: 'least × floor', value: 'leastRatio' },
  { title: '× least', value: 'ratioToLeast' },
  { title: 'p50 ms', value: 'p50Ms' },
  { title: 'p90 ms', value: 'p90Ms' },
  { title: 'p99 ms', value: 'p99Ms' },
  { title: 'ready ms', value: 'readyMs' },
  { title: 'agent CPU ms', value: 'agentCpuMs' },
  { title: 'controller CPU ms', value: 'controllerCpuMs' },
  { title: 'RSS MiB', value: 'rssMiB' },
  { title: 'server CPU ms', value: 'serverCpuMs' },
  { title: 'floor CPU ms', value: 'floorCpuMs' },
  { title: '× floor CPU', value: 'cpuRatio' },
  { title: 'load', value: 'load' },
  { title: 'at start MiB', value: 'startMiB' },
  { title: 'after burst MiB', value: 'burstMiB' },
  { title: 'idle MiB', value: 'idleMiB' },
  { title: 'peak MiB', value: 'peakMiB' },
  { title: 'MiB/min', value: 'slopeMiB' },
  { title: 'growth MiB', value: 'growthMiB' },
  { title: 'edits', value: 'edits' },
  { title: 'ADD', value: 'adds' },
  { title: 'DEL', value: 'dels' },
  { title: 'retries', value: 'retries' },
  { title: 'pods replaced', value: 'replaced' },
  { title: 'checkpoints', value: 'checkpoints' },
  { title: 'seed', value: 'seed' },
];

const CALLS: readonly Column[] = [
  { title: 'CRI list', value: 'criLists' },
  { title: 'CRI status', value: 'criStatuses' },
  { title: 'CRI other', value: 'criOther' },
  { title: 'Multus', value: 'multusCalls' },
  { title: 'patch', value: 'patches' },
  { title: 'patch VMI', value: 'vmiPatches' },
  { title: 'refused', value: 'conflicts' },
  { title: 'event', value: 'events' },
  { title: 'list pods', value: 'podLists' },
  { title: 'list NADs', value: 'nadLists' },
  { title: 'watch', value: 'watches' },
  { title: 'API other', value: 'apiOther' },
];

/** Short, but never rounded to nothing. */
export const formatNumber = (value: number | undefined): string => {
  if (value === undefined || Number.isNaN(value)) return '';
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return value.toFixed(0);
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(Math.abs(value) < 0.1 ? 3 : 2);
};

const renderRows = (title: string, rows: readonly Measurement[], columns: readonly Column[]): string => {
  const used = columns.filter(({ value }) => rows.some((row) => row.values[value] !== undefined));
  if (used.length === 0) return '';
  const head = ['pods', 'step', ...used.map((column) => column.title)];
  const body = rows.map((row) => [
    String(row.pods),
    row.step,
    ...used.map(({ value }) => formatNumber(row.values[value])),
  ]);
  return `${title}\n${renderTable([head, ...body])}\n`;
};

/** Text to the left, numbers to the right: the second column is the only text. */
export const renderTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => (index === 1 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return `${rows.map((row) => `  ${line(row).trimEnd()}\n`).join('')}`;
};

/** Of ours and of a reference alike. */
const NOTES: Readonly<Record<string, string>> = {
  burst: 'calls and CPU time per pod; × floor is the median of each run’s own ratio',
  paced: 'calls and CPU time per pod; × floor is the median of each run’s own ratio',
  single: 'calls and CPU time per plug; the floor is the median of a bare ADD',
  webhook: 'the floor is the p99 of a webhook that says yes without looking; CPU time per pod, of both webhooks',
  soak: 'CPU time per edit; slope and growth of memory are those after the warm-up, its first third',
};

const renderScenario = (scenario: string, rows: readonly Measurement[]): string => {
  const note = NOTES[scenario.replace('reference ', '')];
  const title = note === undefined ? scenario : `${scenario}: ${note}`;
  return renderRows(title, rows, TITLES) + renderRows(`${scenario}: calls`, rows, CALLS);
};

export const renderBudget = ({ name, limit, measured, unit, isMet }: Budget): string =>
  `${isMet ? 'met   ' : 'MISSED'} ${name}: ${formatNumber(measured)} ${unit}, at most ${formatNumber(limit)}\n`;

export const renderReport = (report: Report): string => {
  const of = report.repeat === 1 ? 'one run' : `medians of ${report.repeat} runs`;
  const env = Object.entries(report.agentEnv).map(([name, value]) => `${name}=${value}`);
  const command = [...env, 'node', ...report.nodeFlags].join(' ');
  const head = `${report.machine}; ${report.world}\nagent: ${command}; ${of}\n\n`;
  const groups = [...Map.groupBy(report.measurements, ({ scenario }) => scenario)];
  const tables = groups.map(([scenario, rows]) => renderScenario(scenario, rows)).join('');
  return head + tables + report.budgets.map(renderBudget).join('');
};
