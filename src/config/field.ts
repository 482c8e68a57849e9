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
  /** Given more than once as a flag, the values add up, separated by commas. */
  readonly isAdditive?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Settings<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

type Spec = { readonly description: string; readonly default?: string };

export const text = (spec: Spec & { placeholder: string }): Field<string> => ({
  schema: z.string().check(z.minLength(1)),
  allowed: 'a text that is not empty',
  ...spec,
});

export const optionalText = (spec: Spec & { placeholder: string }): Field<string> => ({
  schema: z.string(),
  allowed: 'any text',
  default: '',
  ...spec,
});

/** A name of a Kubernetes object, which may become part of a path; or none. */
export const optionalName = (spec: Spec & { placeholder: string }): Field<string> => ({
  schema: z.string().check(z.regex(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/)),
  allowed: 'empty, or up to 63 small letters, digits and inner hyphens',
  ...spec,
});

export const path = (spec: Spec): Field<string> => ({
  schema: z.string().check(z.regex(/^\//)),
  allowed: 'an absolute path',
  placeholder: 'PATH',
  ...spec,
});

export const wholeNumber = (min: number, max: number, spec: Spec): Field<number> => ({
  schema: z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/)),
    z.pipe(z.transform(Number), z.number().check(z.minimum(min), z.maximum(max))),
  ),
  allowed: `a whole number from ${min} to ${max}`,
  placeholder: 'NUMBER',
  ...spec,
});

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds inside, `200ms`, `30s`, `10m` or `1h` outside. */
export const duration = (min: string, max: string, spec: Spec): Field<number> => ({
  schema: z.pipe(
    z.string().check(z.regex(/^(0|\d{1,6}(ms|s|m|h))$/)),
    z.pipe(z.transform(durationMs), z.number().check(z.minimum(durationMs(min)), z.maximum(durationMs(max)))),
  ),
  allowed: `a duration such as 200ms, 30s, 10m or 1h, from ${min} to ${max}`,
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
  ...spec,
});

/** `host:port`, `[v6]:port` or `:port`; port 0 picks a free one. */
export const listenAddress = (spec: Spec): Field<{ readonly host: string; readonly port: number }> => ({
  schema: z.pipe(
    z.string().check(z.regex(/^(\[[0-9a-fA-F:.]+\]|[^:\s]*):\d{1,5}$/)),
    z.pipe(
      z.transform((value: string) => {
        const colon = value.lastIndexOf(':');
        return { host: value.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(value.slice(colon + 1)) };
      }),
      z.object({ host: z.string(), port: z.number().check(z.maximum(65_535)) }),
    ),
  ),
  allowed: 'HOST:PORT or :PORT',
  placeholder: 'HOST:PORT',
  ...spec,
});
