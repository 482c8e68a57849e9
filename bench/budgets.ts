// What the design promises (section 10), against what was measured. Only what was measured is judged.
import type { Measurement } from './measurement.ts';

export interface Budget {
  readonly name: string;
  readonly limit: number;
  readonly measured: number;
  readonly unit: string;
  readonly isMet: boolean;
}

type Values = Measurement['values'];

interface Rule {
  readonly name: string;
  readonly scenario: string;
  /** How its step begins. */
  readonly step?: string;
  readonly pods?: number;
  readonly unit: string;
  readonly limit: number | ((row: Measurement) => number);
  readonly measure: (values: Values) => number | undefined;
}

const sum =
  (...keys: readonly string[]) =>
  (values: Values) =>
    keys.reduce((total, key) => total + (values[key] ?? 0), 0);
const only = (key: string) => (values: Values) => values[key];
const CRI = ['criLists', 'criStatuses', 'criOther'];
const API = ['patches', 'events', 'podLists', 'nadLists', 'watches', 'apiOther'];

/** A list of sandboxes is one call for all pods that are plugged, at once or one after the other. */
const oneEachAndOneList = ({ pods, values }: Measurement): number => 1 + 1 / (values['plugs'] ?? pods);

/** An idle machine plugs within this; on a busy one a bare ADD takes longer, too. */
const singlePlug = ({ values }: Measurement): number => Math.max(60, 2.5 * (values['floorMs'] ?? 0));

/** What is called for a plug, wherever it is plugged. */
const callRules = (api: readonly string[]): Rule[] =>
  ['burst', 'single'].flatMap((scenario): Rule[] => {
    const [cold, warm] = scenario === 'burst' ? ['plug 1', 'plug 2'] : ['cold', 'warm'];
    const commands = scenario === 'burst' ? 2 : 1;
    const rule = (what: string, step: string, limit: Rule['limit'], measure: Rule['measure']): Rule => ({
      ...{ name: `${scenario}, per pod: ${what}`, scenario, step, unit: 'calls', limit, measure },
    });
    return [
      rule('CRI, cold', cold, oneEachAndOneList, sum(...CRI)),
      rule('CRI, warm', warm, 0, sum(...CRI)),
      rule('Multus, cold', cold, 1, only('multusCalls')),
      rule('Multus, warm', warm, commands, only('multusCalls')),
      rule('API, cold', cold, 2, sum(...api)),
      rule('API, warm', warm, 2, sum(...api)),
    ];
  });

const memoryRules: readonly Rule[] = [
  { name: 'memory, idle', scenario: 'memory', pods: 100, unit: 'MiB', limit: 96, measure: only('idleMiB') },
  { name: 'memory, peak', scenario: 'memory', pods: 100, unit: 'MiB', limit: 96, measure: only('peakMiB') },
];

const embeddedRules: readonly Rule[] = [
  {
    name: 'burst, Multus at a real pace: times the floor',
    scenario: 'paced',
    unit: '×',
    limit: 2,
    measure: only('ratio'),
  },
  ...callRules(API),
  { name: 'single plug, p50', scenario: 'single', step: 'warm', unit: 'ms', limit: 60, measure: only('p50Ms') },
  { name: 'start: lists of pods', scenario: 'start', unit: 'calls', limit: 1, measure: only('podLists') },
  { name: 'start: lists of NADs', scenario: 'start', unit: 'calls', limit: 1, measure: only('nadLists') },
  { name: 'start: watches', scenario: 'start', unit: 'calls', limit: 2, measure: only('watches') },
  {
    name: 'start: any other call',
    scenario: 'start',
    unit: 'calls',
    limit: 0,
    measure: sum(...CRI, 'multusCalls', 'patches', 'events', 'apiOther'),
  },
  ...memoryRules,
  ...['claims', 'networks'].map(
    (step): Rule => ({
      ...{ name: `webhook ${step}, p99`, scenario: 'webhook', step, unit: 'ms', limit: 20 },
      measure: only('p99Ms'),
    }),
  ),
  {
    name: 'webhook: pods refused',
    scenario: 'webhook',
    step: 'claims',
    unit: 'pods',
    limit: 0,
    measure: only('refused'),
  },
  {
    name: 'idle: calls but watches',
    scenario: 'idle',
    unit: 'calls',
    limit: 0,
    measure: sum(...CRI, 'multusCalls', ...API.filter((key) => key !== 'watches')),
  },
];

/** How much memory may grow in a soak, after its warm-up and over the rest of it, before it counts as a leak. */
const SOAK_GROWTH_MIB = 6;

const realRules: readonly Rule[] = [
  ...['plug 1', 'plug 2', 'unplug', 'again'].map(
    (step): Rule => ({
      ...{
        name: `burst, ${step}: times the floor`,
        scenario: 'burst',
        step,
        unit: '×',
        limit: 2,
        measure: only('ratio'),
      },
    }),
  ),
  ...['cold', 'warm'].map(
    (step): Rule => ({
      ...{ name: `single plug, ${step}, p50`, scenario: 'single', step, unit: 'ms', limit: singlePlug },
      measure: only('p50Ms'),
    }),
  ),
  // The agent counts reads by their method only: a watch that is renewed just then is no read of a plug.
  ...callRules(['patches', 'events']),
  ...memoryRules,
  { name: 'soak: memory, growth', scenario: 'soak', unit: 'MiB', limit: SOAK_GROWTH_MIB, measure: only('growthMiB') },
  { name: 'soak: memory, peak', scenario: 'soak', unit: 'MiB', limit: 96, measure: only('peakMiB') },
  { name: 'soak: unforeseen failures', scenario: 'soak', unit: 'reconciles', limit: 0, measure: only('bugs') },
];

export const budgetsOf = (measurements: readonly Measurement[], world: 'embedded' | 'real' = 'embedded'): Budget[] =>
  (world === 'real' ? realRules : embeddedRules).flatMap(({ name, scenario, step = '', pods, unit, limit, measure }) =>
    measurements.flatMap((row) => {
      if (row.scenario !== scenario || !row.step.startsWith(step) || (pods ?? row.pods) !== row.pods) return [];
      const measured = measure(row.values);
      if (measured === undefined) return [];
      const most = typeof limit === 'number' ? limit : limit(row);
      return [{ name: `${name} (${row.pods} pods)`, limit: most, measured, unit, isMet: measured <= most + 1e-9 }];
    }),
  );
