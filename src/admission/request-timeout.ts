// How long an answer may take. The API server tells with each question how long it waits (`?timeout=10s`, the
// timeoutSeconds of the webhook); an answer that comes later is an error without a reason, so ours comes a little earlier.

/** What Kubernetes takes for a webhook that names no timeout. */
const DEFAULT_MS = 10_000;
/** The longest that Kubernetes lets a webhook name. */
const MAX_MS = 30_000;
/** For the way back. */
const MARGIN_MS = 500;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

export const answerWithinMs = (timeout: string | null): number => {
  const waits = Math.min(readDuration(timeout ?? '') ?? DEFAULT_MS, MAX_MS);
  return Math.max(waits - MARGIN_MS, waits / 2);
};

/** A duration as Go writes it: `10s`, `1.5s`, `1m30s`. Undefined for anything else, and for none at all. */
const readDuration = (text: string): number | undefined => {
  if (!/^(\d+(\.\d+)?(ms|s|m))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m)/g)];
  const sum = parts.reduce((total, [, amount, unit]) => total + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0);
  return sum > 0 ? sum : undefined;
};
