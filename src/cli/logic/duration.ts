import { UsageError } from '../cli-error.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30s`, `2m`, `1h30m`, `500ms`; a bare number is seconds. As kubectl's --timeout. */
export const parseDuration = (text: string, flag: string): number => {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) {
    throw new UsageError(`${flag} "${text}" is not a duration such as 30s or 2m`);
  }
  return parts.reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
};
