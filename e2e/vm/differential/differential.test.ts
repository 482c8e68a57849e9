// Our gates against KubeVirt's own functions, field by field, for every moment in the life of every shape.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/model/json.ts';
import { type Field, intendedDifferences } from './intended-differences.ts';
import { fingerprint, type Moment, momentsOf } from './moments.ts';
import { type OurAnswer, ourAnswer } from './our-answer.ts';
import { shapes } from './shapes.ts';

type Recorded = Pick<Moment, 'shape' | 'moment'> & { readonly input: string; readonly answer: OurAnswer };

const recorded: readonly Recorded[] = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded.json'), 'utf8'));
const moments = shapes.flatMap(momentsOf);
const fields: readonly Field[] = ['created', 'live', 'target', 'status', 'instance', 'template'];

const comparable = (field: Field, { [field]: value }: OurAnswer): unknown => {
  // A Go list that is empty is null, and the order of the status has no meaning.
  if (field === 'status') return [...(Array.isArray(value) ? value : [])].map(canonicalJson).sort();
  if (field === 'instance' || field === 'template') {
    const { networks, interfaces } = Object(value);
    return { networks: networks ?? [], interfaces: interfaces ?? [] };
  }
  return value ?? {};
};

const intendedAt = (field: Field, where: Pick<Moment, 'shape' | 'moment'>) =>
  intendedDifferences.filter((difference) => difference.field === field && difference.applies(where));

describe('KubeVirt and our gates', () => {
  it('were asked the same: otherwise record anew', () => {
    const asked = moments.map(({ shape, moment, input }) => `${shape} / ${moment} / ${fingerprint(input)}`);
    expect(recorded.map(({ shape, moment, input }) => `${shape} / ${moment} / ${input}`)).toEqual(asked);
    expect(shapes.length).toBeGreaterThanOrEqual(25);
  });

  describe.each(shapes.map(({ title }) => title))('agree about %s', (title) => {
    const mine = moments.flatMap((moment, index) => (moment.shape === title ? [{ ...moment, index }] : []));
    it.each(mine.map(({ moment, index, input }) => [moment, index, input] as const))('%s', (moment, index, input) => {
      const ours = ourAnswer(input);
      const theirs = recorded[index]?.answer ?? ours;
      for (const field of fields) {
        const [left, right] = [comparable(field, ours), comparable(field, theirs)];
        if (intendedAt(field, { shape: title, moment }).length === 0)
          expect({ [field]: left }).toEqual({ [field]: right });
        else expect({ [field]: left }).not.toEqual({ [field]: right });
      }
    });
  });

  it.each(intendedDifferences)('differ in $field, on purpose: $reason', ({ applies }) => {
    expect(moments.some(applies)).toBe(true);
  });
});
