// What a TLS server shows, and with which key it proves that it may.
import { createPrivateKey, X509Certificate } from 'node:crypto';

export interface ServingPair {
  /** One or more certificates, the server's own first. */
  readonly certPem: string;
  readonly keyPem: string;
}

/** Why a pair cannot serve these names now, or undefined when it can. */
export const pairProblem = (pair: ServingPair, names: readonly string[], now: Date): string | undefined => {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pair.certPem);
    if (!certificate.checkPrivateKey(createPrivateKey(pair.keyPem))) return 'the key is not that of the certificate';
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (certificate.validFromDate > now) return `it is valid only from ${certificate.validFromDate.toISOString()} on`;
  if (certificate.validToDate <= now) return `it expired on ${certificate.validToDate.toISOString()}`;
  const missing = names.filter((name) => certificate.checkHost(name) === undefined);
  return missing.length > 0 ? `it is not for ${missing.join(', ')}` : undefined;
};

export const expiryOf = ({ certPem }: ServingPair): Date => new X509Certificate(certPem).validToDate;
