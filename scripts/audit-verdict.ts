// What `npm audit --json` said. A registry without the endpoint, a mirror for one, is not the same as a clean bill.
import * as z from 'zod/mini';

const report = z.object({
  metadata: z.object({ vulnerabilities: z.object({ total: z.number() }) }),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })),
});

export type AuditVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'found'; readonly packages: readonly string[] }
  | { readonly kind: 'notAsked'; readonly reason: string };

export const readAudit = (output: string): AuditVerdict => {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return { kind: 'notAsked', reason: 'npm gave no answer' };
  }
  const parsed = report.safeParse(value);
  if (!parsed.success) {
    const told = z.object({ message: z.string() }).safeParse(value);
    return { kind: 'notAsked', reason: told.success ? told.data.message : 'npm answered in another form' };
  }
  const { metadata, vulnerabilities } = parsed.data;
  if (metadata.vulnerabilities.total === 0) return { kind: 'clean' };
  return {
    kind: 'found',
    packages: Object.entries(vulnerabilities).map(([name, { severity }]) => `${name} (${severity})`),
  };
};
