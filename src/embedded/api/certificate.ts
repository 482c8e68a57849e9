// The serving certificate of the embedded API server: self-signed, so it is its own CA.

import { generate } from 'selfsigned';

export interface ServingCertificate {
  keyPem: string;
  certPem: string;
}

const dayMs = 24 * 60 * 60 * 1000;

export async function makeCertificate(): Promise<ServingCertificate> {
  const made = await generate([{ name: 'commonName', value: 'embedded-kube-apiserver' }], {
    // Elliptic: an RSA key takes a noticeable part of a test's time to generate.
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + 365 * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { keyPem: made.private, certPem: made.cert };
}
