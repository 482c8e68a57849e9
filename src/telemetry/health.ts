// Readiness: each part that the agent depends on, and what is wrong with it. Parts are only asked when somebody asks us, and
// not more often than every few seconds.

export interface HealthPart {
  readonly name: string;
  /** Throws with the reason when the part is not well. */
  readonly probe: (signal: AbortSignal) => Promise<void> | void;
}

export interface HealthReport {
  readonly isReady: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

const PROBE_TIMEOUT_MS = 2000;
const MAX_AGE_MS = 3000;

export const makeReadiness = (parts: readonly HealthPart[], now: () => number): (() => Promise<HealthReport>) => {
  let last: { readonly at: number; readonly report: Promise<HealthReport> } | undefined;
  return () => {
    if (last === undefined || now() - last.at > MAX_AGE_MS) last = { at: now(), report: probeAll(parts) };
    return last.report;
  };
};

const probeAll = async (parts: readonly HealthPart[]): Promise<HealthReport> => {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const results = await Promise.all(parts.map(async (part) => [part.name, await probeOne(part, signal)] as const));
  return { isReady: results.every(([, state]) => state === 'ok'), parts: Object.fromEntries(results) };
};

const probeOne = async ({ probe }: HealthPart, signal: AbortSignal): Promise<string> => {
  try {
    await probe(signal);
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
