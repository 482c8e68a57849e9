// One setting: how it is called everywhere, what it may be, and what it is when nobody says. Flags, environment, file, --help
// and the documentation are all made from this.
import * as z from 'zod/mini';

export interface Field<T> {
  readonly schema: z.ZodMiniType<T>;
  readonly description: string;
  /** In words: stands in every error. */
  readonly allowed: string;
  readonly placeholder: string;
  /** As text, the way a person would write it. Without one the setting must be given. */
  readonly default?: string;
  /** The same as a JSON schema, of the value as a YAML file has it: for who checks before the program does. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Given more than once as a flag, the values add up, separated by commas. */
  readonly isAdditive?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Settings<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

type Spec = { readonly description: string; readonly default?: string };

export const text = (spec: Spec & { placeholder: string }): Field<string> => ({
  schema: z.string().check(z.minLength(1)),
  allowed: 'a text that is not empty',
  json: { type: 'string', minLength: 1 },
  ...spec,
});

export const optionalText = (spec: Spec & { placeholder: string }): Field<string> => ({
  schema: z.string(),
  allowed: 'any text',
  json: { type: 'string' },
  default: '',
  ...spec,
});

const NAME = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/;

/** A name of a Kubernetes object, which may become part of a path; or none. */
export const optionalName = (spec: Spec & { placeholder: string }): Field<string> => ({
  schema: z.string().check(z.regex(NAME)),
  allowed: 'empty, or up to 63 small letters, digits and inner hyphens',
  json: { type: 'string', pattern: NAME.source },
  ...spec,
});

export const path = (spec: Spec): Field<string> => ({
  schema: z.string().check(z.regex(/^\//)),
  allowed: 'an absolute path',
  json: { type: 'string', pattern: '^/' },
  placeholder: 'PATH',
  ...spec,
});

const NUMBER = /^\d{1,9}$/;

export const wholeNumber = (min: number, max: number, spec: Spec): Field<number> => ({
  schema: z.pipe(
    z.string().check(z.regex(NUMBER)),
    z.pipe(z.transform(Number), z.number().check(z.minimum(min), z.maximum(max))),
  ),
  allowed: `a whole number from ${min} to ${max}`,
  json: { type: ['integer', 'string'], minimum: min, maximum: max, pattern: NUMBER.source },
  placeholder: 'NUMBER',
  ...spec,
});

const DURATION = /^(0|\d{1,6}(ms|s|m|h))$/;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds inside, `200ms`, `30s`, `10m` or `1h` outside. */
export const duration = (min: string, max: string, spec: Spec): Field<number> => ({
  schema: z.pipe(
    z.string().check(z.regex(DURATION)),
    z.pipe(z.transform(durationMs), z.number().check(z.minimum(durationMs(min)), z.maximum(durationMs(max)))),
  ),
  allowed: `a duration such as 200ms, 30s, 10m or 1h, from ${min} to ${max}`,
  // A number has no unit, so 0 is the only one.
  json: { type: min === '0' ? ['string', 'integer'] : 'string', pattern: DURATION.source, minimum: 0, maximum: 0 },
  placeholder: 'DURATION',
  ...spec,
});

const durationMs = (value: string): number => {
  const [, amount = '0', unit = 'ms'] = /^(\d+)(ms|s|m|h)?$/.exec(value) ?? [];
  return Number(amount) * (UNITS[unit] ?? 1);
};

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T, spec: Spec): Field<T[number]> => ({
  schema: z.enum(values),
  allowed: `one of ${values.join(', ')}`,
  // A bare on or off is a boolean to some readers of YAML, and none of these: it has to be quoted.
  json: { enum: values },
  placeholder: values.join('|'),
  ...spec,
});

export const list = (spec: Spec & { placeholder: string }): Field<readonly string[]> => ({
  schema: z.pipe(
    z.string(),
    z.transform((value: string) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
  ),
  allowed: 'a comma-separated list',
  json: { type: 'string' },
  ...spec,
});

const LISTEN = /^(\[[0-9a-fA-F:.]+\]|[^:\s]*):\d{1,5}$/;

/** `host:port`, `[v6]:port` or `:port`; port 0 picks a free one. */
export const listenAddress = (spec: Spec): Field<{ readonly host: string; readonly port: number }> => ({
  schema: z.pipe(
    z.string().check(z.regex(LISTEN)),
    z.pipe(
      z.transform((value: string) => {
        const colon = value.lastIndexOf(':');
        return { host: value.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(value.slice(colon + 1)) };
      }),
      z.object({ host: z.string(), port: z.number().check(z.maximum(65_535)) }),
    ),
  ),
  allowed: 'HOST:PORT or :PORT',
  json: { type: 'string', pattern: LISTEN.source },
  placeholder: 'HOST:PORT',
  ...spec,
});
