// When a certificate is made and when another one is served. In three steps, so that no API server ever meets a certificate it
// does not trust yet: the next one is made and its authority trusted beside the present one; an hour later, and only when the
// webhook configurations really name it, it is served; the former authorities stay trusted until they expire, because another
// replica may still serve what they signed.
import { X509Certificate } from 'node:crypto';
import type { CertificateMaterial } from './certificate-material.ts';
import { expiryOf, pairProblem } from './serving-pair.ts';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const LIFETIME_MS = 90 * DAY_MS;
/** Clocks of nodes differ: a new certificate is dated back, so that it is not "not yet valid" anywhere. */
export const BACKDATED_MS = HOUR_MS;
/** The next one is made when a third of the lifetime is left: weeks to notice that it does not work. */
const PREPARE_BEFORE_MS = LIFETIME_MS / 3;
const TRUSTED_BEFORE_SERVED_MS = HOUR_MS;
/** Newest first; a rotation needs one, and a configuration must not grow without end. */
const MAX_FORMER_AUTHORITIES = 3;
/** So close to the end an untrusted certificate is no worse than an expired one. */
const LAST_RESORT_MS = DAY_MS;

export interface CertificateSituation {
  readonly names: readonly string[];
  readonly now: Date;
}

export type CertificateStep = 'keep' | 'prepare' | 'promote';

/** For material that is sound and whose authorities all webhook configurations name: what is to be done with it now. */
export const planCertificate = (
  { serving, next }: CertificateMaterial,
  { names, now }: CertificateSituation,
): CertificateStep => {
  const leftMs = expiryOf(serving).getTime() - now.getTime();
  if (leftMs > PREPARE_BEFORE_MS) return 'keep';
  if (next === undefined || pairProblem(next, names, now) !== undefined) return 'prepare';
  if (expiryOf(next) <= expiryOf(serving)) return 'prepare';
  const madeAt = new X509Certificate(next.certPem).validFromDate.getTime() + BACKDATED_MS;
  return now.getTime() - madeAt >= TRUSTED_BEFORE_SERVED_MS || leftMs < LAST_RESORT_MS ? 'promote' : 'keep';
};

export interface MadeCertificate {
  readonly authorityPem: string;
  readonly pair: CertificateMaterial['serving'];
}

export const fresh = ({ authorityPem, pair }: MadeCertificate): CertificateMaterial => ({
  authorities: [authorityPem],
  serving: pair,
});

/** However quickly steps follow each other, another replica may still serve what any of the former authorities signed. */
export const prepared = (
  { authorities, serving }: CertificateMaterial,
  made: MadeCertificate,
  now: Date,
): CertificateMaterial => ({
  authorities: [
    made.authorityPem,
    ...authorities.filter((pem) => new X509Certificate(pem).validToDate > now).slice(0, MAX_FORMER_AUTHORITIES),
  ],
  serving,
  next: made.pair,
});

export const promoted = ({ next, ...material }: CertificateMaterial): CertificateMaterial => ({
  ...material,
  serving: next ?? material.serving,
});
