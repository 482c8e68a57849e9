import { describe, expect, it } from 'vitest';
import { budgetsOf } from './budgets.ts';
import type { Measurement } from './measurement.ts';
import { formatNumber, mergeRuns, type Report, renderBudget, renderReport, renderTable } from './report.ts';

const row = (scenario: string, step: string, values: Measurement['values'], pods = 100): Measurement => ({
  scenario,
  pods,
  step,
  values,
});

describe('mergeRuns', () => {
  it('takes the median of each value, row by row', () => {
    const runs = [
      [row('burst', 'plug', { totalMs: 10, ratio: 3 }), row('burst', 'unplug', { totalMs: 7 })],
      [row('burst', 'plug', { totalMs: 90, ratio: 1 }), row('burst', 'unplug', { totalMs: 9 })],
      [row('burst', 'plug', { totalMs: 20, ratio: 2 }), row('burst', 'unplug', { totalMs: 8 })],
    ];
    expect(mergeRuns(runs)).toEqual([
      row('burst', 'plug', { totalMs: 20, ratio: 2 }),
      row('burst', 'unplug', { totalMs: 8 }),
    ]);
  });

  it('keeps rows of different numbers of pods apart, in the order of the first run', () => {
    const run = [row('burst', 'plug', { totalMs: 5 }, 500), row('burst', 'plug', { totalMs: 1 }, 100)];
    expect(mergeRuns([run, run]).map(({ pods }) => pods)).toEqual([500, 100]);
  });

  it('uses what there is when a value was not measured in every run', () => {
    const runs = [[row('memory', 'plug', {})], [row('memory', 'plug', { idleMiB: 80 })]];
    expect(mergeRuns(runs)).toEqual([row('memory', 'plug', { idleMiB: 80 })]);
  });

  it('is empty without runs', () => expect(mergeRuns([])).toEqual([]));
});

describe('budgetsOf', () => {
  const budget = (name: string, measurements: readonly Measurement[]) =>
    budgetsOf(measurements).find((each) => each.name.startsWith(name));

  it.each([
    ['one status each and one list for all are within it', { criLists: 0.01, criStatuses: 1 }, true],
    ['a list for each pod is not', { criLists: 1, criStatuses: 1 }, false],
    ['nor is any other call', { criLists: 0.01, criStatuses: 1, criOther: 1 }, false],
  ])('CRI calls of a cold burst: %s', (_, values, isMet) => {
    expect(budget('burst, per pod: CRI, cold', [row('burst', 'plug 1 (cold)', values)])?.isMet).toBe(isMet);
  });

  it('counts the list of sandboxes once for all plugs, when fewer pods are plugged than there are', () => {
    const rule = 'single, per pod: CRI, cold';
    const calls = (criLists: number) => row('single', 'cold pod', { plugs: 50, criLists, criStatuses: 1 });
    expect([budget(rule, [calls(1 / 50)])?.isMet, budget(rule, [calls(2 / 50)])?.isMet]).toEqual([true, false]);
  });

  it('allows a patch and an event per plug, but no read besides', () => {
    const calls = { patches: 1, events: 1 };
    expect(budget('single, per pod: API, warm', [row('single', 'warm pod', calls)])?.isMet).toBe(true);
    const more = { ...calls, apiOther: 0.02 };
    expect(budget('single, per pod: API, warm', [row('single', 'warm pod', more)])?.isMet).toBe(false);
  });

  it('counts watches in idleness as nothing, and everything else', () => {
    const idle = (values: Measurement['values']) => budget('idle', [row('idle', '10 s', values)])?.isMet;
    expect(idle({ watches: 1 })).toBe(true);
    expect(idle({ watches: 1, multusCalls: 1 })).toBe(false);
  });

  it('judges memory with 100 pods only', () => {
    const memory = (pods: number) => budgetsOf([row('memory', 'plug 1', { idleMiB: 97, peakMiB: 99 }, pods)]);
    expect(memory(100).map(({ isMet }) => isMet)).toEqual([false, false]);
    expect(memory(500)).toEqual([]);
  });

  describe('on a real cluster', () => {
    const real = (name: string, measurement: Measurement) =>
      budgetsOf([measurement], 'real').find((each) => each.name.startsWith(name));

    it.each([
      ['plugged at once, twice as long as the floor is within it', 'plug 1 (cold)', 2, true],
      ['plugged at once, longer is not', 'plug 1 (cold)', 2.01, false],
      ['two more are judged as well', 'plug 2 more (warm)', 2.01, false],
      ['so is the removal', 'unplug 3', 2.01, false],
      ['and what a warm agent plugs', 'again plug 1 (warm)', 2.01, false],
    ])('a burst: %s', (_, step, ratio, isMet) => {
      const [budget] = budgetsOf([row('burst', step, { ratio }, 30)], 'real').filter(({ unit }) => unit === '×');
      expect(budget?.isMet).toBe(isMet);
    });

    it.each([
      ['60 ms on a machine on which an ADD is fast', { p50Ms: 60, floorMs: 20 }, true],
      ['more than that there', { p50Ms: 61, floorMs: 20 }, false],
      ['2.5 times the ADD where that is slow', { p50Ms: 250, floorMs: 100 }, true],
      ['more than that there, too', { p50Ms: 251, floorMs: 100 }, false],
    ])('a single plug: %s', (_, values, isMet) => {
      expect(real('single plug, warm', row('single', 'warm pod', values, 30))?.isMet).toBe(isMet);
    });

    it('forgives a watch that is renewed during a burst, but no patch more', () => {
      const api = (values: Measurement['values']) =>
        real('burst, per pod: API, cold', row('burst', 'plug 1 (cold)', values, 30))?.isMet;
      expect(api({ patches: 1, events: 1, apiOther: 0.1 })).toBe(true);
      expect(api({ patches: 1.1, events: 1 })).toBe(false);
    });

    it.each([
      ['memory that stays', { growthMiB: 0.5, peakMiB: 90, bugs: 0 }, [true, true, true]],
      ['memory that grows', { growthMiB: 6.1, peakMiB: 90, bugs: 0 }, [false, true, true]],
      ['too much of it at once', { growthMiB: 0.5, peakMiB: 97, bugs: 0 }, [true, false, true]],
      ['a failure that nobody foresaw', { growthMiB: 0.5, peakMiB: 90, bugs: 1 }, [true, true, false]],
    ])('a soak: %s', (_, values, areMet) => {
      expect(budgetsOf([row('soak', '3 min', values, 50)], 'real').map(({ isMet }) => isMet)).toEqual(areMet);
    });

    it('judges nobody but us', () => {
      expect(budgetsOf([row('reference burst', 'plug 1 (cold)', { ratio: 40 })], 'real')).toEqual([]);
    });
  });

  it('says nothing of what was not measured', () =>
    expect(budgetsOf([row('floor', 'ADD', { totalMs: 1 })])).toEqual([]));
});

describe('rendering', () => {
  it.each([
    [0, '0'],
    [2, '2'],
    [0.02, '0.020'],
    [0.5, '0.50'],
    [12.345, '12.35'],
    [123.456, '123.5'],
    [1234.5, '1235'],
    [Number.NaN, ''],
    [undefined, ''],
  ])('writes %s as %j', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it('aligns text to the left and numbers to the right', () => {
    const lines = renderTable([
      ['pods', 'step', 'ms'],
      ['5', 'plug', '10'],
      ['100', 'unplug', '5'],
    ]);
    expect(lines).toBe('  pods  step    ms\n     5  plug    10\n   100  unplug   5\n');
  });

  it('tells met from missed, with both numbers', () => {
    const budget = { name: 'memory', limit: 96, measured: 97.5, unit: 'MiB', isMet: false };
    expect(renderBudget(budget)).toBe('MISSED memory: 97.50 MiB, at most 96\n');
    expect(renderBudget({ ...budget, measured: 90, isMet: true })).toBe('met    memory: 90 MiB, at most 96\n');
  });

  it('shows only columns that have a value, and every budget on a line of its own', () => {
    const measurements = [row('floor', 'ADD', { totalMs: 50 }), row('idle', '10 s', { watches: 0 })];
    const report: Report = {
      name: 'embedded',
      world: 'embedded cluster, ledger on ext4',
      at: '2026-01-01T00:00:00.000Z',
      machine: 'a machine',
      nodeFlags: ['--flag'],
      agentEnv: { NAME: 'value' },
      repeat: 3,
      measurements,
      budgets: budgetsOf(measurements),
      runs: [measurements],
    };
    expect(renderReport(report)).toBe(
      [
        'a machine; embedded cluster, ledger on ext4',
        'agent: NAME=value node --flag; medians of 3 runs',
        '',
        'floor',
        '  pods  step  total ms',
        '   100  ADD         50',
        '',
        'idle: calls',
        '  pods  step  watch',
        '   100  10 s      0',
        '',
        'met    idle: calls but watches (100 pods): 0 calls, at most 0',
        '',
      ].join('\n'),
    );
  });
});
