// The cluster's small certificate authority: a fresh one per cluster, so that every client verifies the API server
// and every component has an identity of its own.
import { generateKeyPairSync } from 'node:crypto';
import { generate } from 'selfsigned';

export type KeyPair = { readonly key: string; readonly cert: string };

export type Subject = { readonly commonName: string; readonly organization?: string };

const hourMs = 3_600_000;
const lifetimeMs = 365 * 24 * hourMs;

const validity = () => {
  // A clock that was just set back must not make everything "not yet valid".
  const notBeforeDate = new Date(Date.now() - hourMs);
  return { notBeforeDate, notAfterDate: new Date(notBeforeDate.getTime() + lifetimeMs) };
};

const attributes = ({ commonName, organization }: Subject) => [
  { name: 'commonName', value: commonName },
  ...(organization === undefined ? [] : [{ name: 'organizationName', value: organization }]),
];

export const makeAuthority = async (commonName: string): Promise<KeyPair> => {
  const made = await generate(attributes({ commonName }), {
    ...validity(),
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
};

export const issueClient = async (authority: KeyPair, subject: Subject): Promise<KeyPair> => {
  const made = await generate(attributes(subject), {
    ...validity(),
    keyType: 'ec',
    algorithm: 'sha256',
    ca: authority,
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  });
  return { key: made.private, cert: made.cert };
};

export type ServerNames = { readonly dns: readonly string[]; readonly ips: readonly string[] };

export const issueServer = async (authority: KeyPair, subject: Subject, names: ServerNames): Promise<KeyPair> => {
  const made = await generate(attributes(subject), {
    ...validity(),
    keyType: 'ec',
    algorithm: 'sha256',
    ca: authority,
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.dns.map((value) => ({ type: 2 as const, value })),
          ...names.ips.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
};

/** Signs service account tokens. */
export const makeSigningKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
