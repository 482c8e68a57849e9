import { describe, expect, it } from 'vitest';
import { readAudit } from './audit-verdict.ts';

const reportOf = (vulnerabilities: object) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities,
    metadata: { vulnerabilities: { total: Object.keys(vulnerabilities).length }, dependencies: { prod: 60 } },
  });

describe('an audit', () => {
  it.each<[string, string, object]>([
    ['that found nothing is clean', reportOf({}), { kind: 'clean' }],
    [
      'that found something names it',
      reportOf({ leaky: { name: 'leaky', severity: 'high' } }),
      { kind: 'found', packages: ['leaky (high)'] },
    ],
    [
      'that the registry refused was not asked',
      '{"message":"405 Method Not Allowed","method":"POST","statusCode":405}',
      { kind: 'notAsked', reason: '405 Method Not Allowed' },
    ],
    ['that nobody answered was not asked', '', { kind: 'notAsked', reason: 'npm gave no answer' }],
    ['in another form was not asked', '{}', { kind: 'notAsked', reason: 'npm answered in another form' }],
  ])('%s', (_, output, verdict) => {
    expect(readAudit(output)).toEqual(verdict);
  });
});
