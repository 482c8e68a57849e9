// The certificate as somebody else provides it: cert-manager, say, through a Secret that is mounted into the pod. Files of such
// a mount change all at once by a link, which file notifications do not tell reliably, so they are read again now and then.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expiryOf, pairProblem, type ServingPair } from './serving-pair.ts';

export interface CertificateDirectoryOptions {
  readonly path: string;
  readonly names: readonly string[];
  readonly now: () => Date;
  readonly onServe: (pair: ServingPair) => void;
}

export class CertificateDirectory {
  readonly #options: CertificateDirectoryOptions;
  #served: ServingPair | undefined;

  constructor(options: CertificateDirectoryOptions) {
    this.#options = options;
  }

  get expiry(): Date | undefined {
    return this.#served && expiryOf(this.#served);
  }

  /** Fails with the reason when the files hold no sound pair; what is served stays served then. */
  async refresh(): Promise<void> {
    const { path, names, now, onServe } = this.#options;
    const [certPem, keyPem] = await Promise.all(
      ['tls.crt', 'tls.key'].map((file) => readFile(join(path, file), 'utf8')),
    );
    const pair = { certPem: certPem ?? '', keyPem: keyPem ?? '' };
    const problem = pairProblem(pair, names, now());
    if (problem !== undefined) throw new Error(`tls.crt and tls.key in ${path} cannot be served: ${problem}`);
    if (this.#served?.certPem === pair.certPem && this.#served.keyPem === pair.keyPem) return;
    this.#served = pair;
    onServe(pair);
  }
}
