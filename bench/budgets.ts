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
  readonly limit: number | ((plugs: number) => number);
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
const oneEachAndOneList = (plugs: number): number => 1 + 1 / plugs;

const rules: readonly Rule[] = [
  {
    name: 'burst, Multus at a real pace: times the floor',
    scenario: 'paced',
    unit: '×',
    limit: 2,
    measure: only('ratio'),
  },
  ...['burst', 'single'].flatMap((scenario): Rule[] => {
    const [cold, warm] = scenario === 'burst' ? ['plug 1', 'plug 2'] : ['cold', 'warm'];
    const commands = scenario === 'burst' ? 2 : 1;
    const of = `${scenario}, per pod`;
    return [
      { name: `${of}: CRI, cold`, scenario, step: cold, unit: 'calls', limit: oneEachAndOneList, measure: sum(...CRI) },
      { name: `${of}: CRI, warm`, scenario, step: warm, unit: 'calls', limit: 0, measure: sum(...CRI) },
      { name: `${of}: Multus, cold`, scenario, step: cold, unit: 'calls', limit: 1, measure: only('multusCalls') },
      {
        name: `${of}: Multus, warm`,
        scenario,
        step: warm,
        unit: 'calls',
        limit: commands,
        measure: only('multusCalls'),
      },
      { name: `${of}: API, cold`, scenario, step: cold, unit: 'calls', limit: 2, measure: sum(...API) },
      { name: `${of}: API, warm`, scenario, step: warm, unit: 'calls', limit: 2, measure: sum(...API) },
    ];
  }),
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
  { name: 'memory, idle', scenario: 'memory', pods: 100, unit: 'MiB', limit: 96, measure: only('idleMiB') },
  { name: 'memory, peak', scenario: 'memory', pods: 100, unit: 'MiB', limit: 96, measure: only('peakMiB') },
  {
    name: 'idle: calls but watches',
    scenario: 'idle',
    unit: 'calls',
    limit: 0,
    measure: sum(...CRI, 'multusCalls', ...API.filter((key) => key !== 'watches')),
  },
];

export const budgetsOf = (measurements: readonly Measurement[]): Budget[] =>
  rules.flatMap(({ name, scenario, step = '', pods, unit, limit, measure }) =>
    measurements.flatMap((row) => {
      if (row.scenario !== scenario || !row.step.startsWith(step) || (pods ?? row.pods) !== row.pods) return [];
      const measured = measure(row.values);
      if (measured === undefined) return [];
      const most = typeof limit === 'number' ? limit : limit(row.values['plugs'] ?? row.pods);
      return [{ name: `${name} (${row.pods} pods)`, limit: most, measured, unit, isMet: measured <= most + 1e-9 }];
    }),
  );
