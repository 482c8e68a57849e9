// Garbage as the outside world may send it: any text, any JSON, and sound documents of which one part was replaced, removed
// or cut off. The last kind matters most: it gets past the first check of a parser.
import fc from 'fast-check';
import { isJsonObject, type JsonObject } from './model/json.ts';

export const RUNS = { numRuns: 10_000 } as const;

const deep = (levels: number): unknown => JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`);

const nasty: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1e308,
    true,
    false,
    [],
    {},
    [null],
    'a/b/c',
    '..',
    '\u0000',
    '\ud83d',
    'a@b',
  ),
  fc.constant(deep(70)),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
);

type Change = { readonly at: readonly number[]; readonly value: unknown; readonly isRemoval: boolean };

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.array(fc.nat({ max: 20 }), { maxLength: 6 }),
  value: nasty,
  isRemoval: fc.boolean(),
});

/** Follows `at` down into the value, choosing among the members that there are, and changes what it finds there. */
const changed = (value: unknown, [choice, ...rest]: readonly number[], edit: Change): unknown => {
  const members = Array.isArray(value) || isJsonObject(value) ? Object.entries(value) : [];
  if (choice === undefined || members.length === 0) return edit.value;
  const [picked] = members[choice % members.length] ?? [];
  const edited = members.flatMap(([key, member]) => {
    if (key !== picked) return [[key, member] as const];
    return rest.length === 0 && edit.isRemoval ? [] : [[key, changed(member, rest, edit)] as const];
  });
  return Array.isArray(value) ? edited.map(([, member]) => member) : Object.fromEntries(edited);
};

/** A sound document with up to three parts changed. */
export const mangled = (sound: JsonObject | readonly unknown[]): fc.Arbitrary<unknown> =>
  fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((edits) => edits.reduce<unknown>((value, edit) => changed(value, edit.at, edit), sound));

/** Any value that an API object or an answer could turn out to be. */
export const hostileValue = (sound: JsonObject | readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: mangled(sound) }, { weight: 1, arbitrary: nasty });

/** The same as text, sometimes cut off, sometimes no JSON at all. */
export const hostileText = (sound: JsonObject | readonly unknown[]): fc.Arbitrary<string> => {
  const written = hostileValue(sound).map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 6, arbitrary: written },
    {
      weight: 2,
      arbitrary: fc.tuple(written, fc.nat({ max: 400 })).map(([text, end]) => text.slice(0, end)),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  );
};
