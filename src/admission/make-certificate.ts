// One certificate for the webhook's Service and an authority that signed it and nothing else.
import { BACKDATED_MS, LIFETIME_MS, type MadeCertificate } from './plan-certificate.ts';

/** `names`: the DNS names under which the API server reaches the webhook, the most specific first. */
export const makeCertificate = async (names: readonly string[], now: Date): Promise<MadeCertificate> => {
  // Only here: the library is large, and a replica makes a certificate once in months.
  const { generate } = await import('selfsigned');
  const validity = {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - BACKDATED_MS),
    notAfterDate: new Date(now.getTime() + LIFETIME_MS),
  } as const;
  // Each authority has a name of its own: who verifies finds the right one of two without trying both.
  const authority = await generate([{ name: 'commonName', value: `dynamic-networks-webhook ${now.toISOString()}` }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const served = await generate([{ name: 'commonName', value: commonName(names) }], {
    ...validity,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
    ],
  });
  return {
    authorityPem: withLineBreak(authority.cert),
    pair: { certPem: withLineBreak(served.cert), keyPem: served.private },
  };
};

/** Nobody reads it but people, and X.509 allows 64 characters. */
const commonName = ([first = 'webhook']: readonly string[]): string => first.slice(0, 64);

const withLineBreak = (pem: string): string => `${pem.replaceAll('\r\n', '\n').trimEnd()}\n`;
