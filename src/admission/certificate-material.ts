// Everything that the replicas share about their certificate, and how it lies in the Secret. The key of an authority is not
// among it: it signs one certificate and is forgotten, so what the API server trusts can vouch for nothing else.
import { X509Certificate } from 'node:crypto';
import { isJsonObject } from '../model/json.ts';
import { pairProblem, type ServingPair } from './serving-pair.ts';

export interface CertificateMaterial {
  /** Whatever any replica serves was signed by one of these: the API server is told to trust all of them. */
  readonly authorities: readonly string[];
  readonly serving: ServingPair;
  /** Trusted already and served soon: by then every API server knows its authority. */
  readonly next?: ServingPair;
}

/** The fields that cert-manager and Kubernetes use for the same things; `next` is ours. */
const FIELDS = { authorities: 'ca.crt', cert: 'tls.crt', key: 'tls.key', nextCert: 'next.crt', nextKey: 'next.key' };

export const bundleOf = ({ authorities }: Pick<CertificateMaterial, 'authorities'>): string => authorities.join('');

export const toSecretData = (material: CertificateMaterial): Readonly<Record<string, string>> => {
  const { serving, next } = material;
  const written = {
    [FIELDS.authorities]: bundleOf(material),
    [FIELDS.cert]: serving.certPem,
    [FIELDS.key]: serving.keyPem,
    ...(next && { [FIELDS.nextCert]: next.certPem, [FIELDS.nextKey]: next.keyPem }),
  };
  return Object.fromEntries(Object.entries(written).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
};

/** What stands in the Secret, sound or not; undefined when there is no certificate at all in it. */
export const fromSecretData = (data: unknown): CertificateMaterial | undefined => {
  const read = (field: string): string => {
    const value = isJsonObject(data) ? data[field] : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  const serving = { certPem: read(FIELDS.cert), keyPem: read(FIELDS.key) };
  const next = { certPem: read(FIELDS.nextCert), keyPem: read(FIELDS.nextKey) };
  if (serving.certPem === '' && serving.keyPem === '') return undefined;
  return {
    authorities: certificatesIn(read(FIELDS.authorities)),
    serving,
    ...(next.certPem !== '' && { next }),
  };
};

/** Each certificate of a text on its own, ending in a line break. */
const certificatesIn = (pem: string): string[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((found) => `${found}\n`);

/** Why the material cannot be served and trusted now, or undefined when it can. */
export const materialProblem = (
  { authorities, serving }: CertificateMaterial,
  names: readonly string[],
  now: Date,
): string | undefined => {
  const problem = pairProblem(serving, names, now);
  if (problem !== undefined) return `tls.crt: ${problem}`;
  if (signersOf(serving, authorities).length === 0) return 'ca.crt: it has no valid authority that signed tls.crt';
  const unreadable = authorities.findIndex((authority) => tryParse(authority) === undefined);
  return unreadable < 0 ? undefined : `ca.crt: certificate ${unreadable + 1} cannot be read`;
};

export const signersOf = ({ certPem }: ServingPair, authorities: readonly string[]): readonly string[] => {
  const certificate = tryParse(certPem);
  return authorities.filter((authority) => {
    const issuer = tryParse(authority);
    return certificate && issuer?.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  });
};

const tryParse = (pem: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
};
