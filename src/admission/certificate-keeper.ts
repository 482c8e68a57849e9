// Keeps the certificate that all replicas serve, in one Secret, and the webhook configurations' trust in it.
// Promises: what is served is in the Secret, and what replaces it was trusted first; of two replicas that write at once one
// wins and the other follows; a Secret that was damaged is restored from what is served; without the Secret what is served stays served; a
// certificate never changes faster than the API servers can learn of it.
import { KnownError } from '../model/errors.ts';
import { bundleOf, type CertificateMaterial, materialProblem } from './certificate-material.ts';
import { fresh, type MadeCertificate, planCertificate, prepared, promoted } from './plan-certificate.ts';
import { expiryOf, type ServingPair } from './serving-pair.ts';

export interface StoredMaterial {
  /** Undefined when the Secret has none. */
  readonly material: CertificateMaterial | undefined;
  readonly version: string;
}

type SoundMaterial = StoredMaterial & { readonly material: CertificateMaterial };

export interface CertificateKeeperDeps {
  readonly secret: {
    /** Undefined when there is no such Secret. */
    find(signal: AbortSignal): Promise<StoredMaterial | undefined>;
    /** Gives the new version. Fails with a KnownError `stateChanged` when the Secret is no longer at the given one. */
    replace(material: CertificateMaterial, version: string, signal: AbortSignal): Promise<string>;
  };
  /** Makes every webhook configuration that exists trust these authorities. */
  readonly trust: (bundlePem: string, signal: AbortSignal) => Promise<void>;
  readonly make: (names: readonly string[], now: Date) => Promise<MadeCertificate>;
  readonly names: readonly string[];
  readonly now: () => Date;
  /** The pair is to be served from now on. */
  readonly onServe: (pair: ServingPair) => void;
  /** Something about the certificate changed, or is wrong and was healed. */
  readonly onNews: (message: string) => void;
}

/** Somebody else's write is no reason to give up before theirs was read. */
const MAX_TRIES = 5;

export class CertificateKeeper {
  readonly #deps: CertificateKeeperDeps;
  /** What is served; the Secret is restored from it. */
  #material: CertificateMaterial | undefined;

  constructor(deps: CertificateKeeperDeps) {
    this.#deps = deps;
  }

  get expiry(): Date | undefined {
    return this.#material && expiryOf(this.#material.serving);
  }

  /** Looks at everything once. Called again and again, by every replica. */
  async refresh(signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#refreshOnce(signal);
      } catch (error) {
        const isConflict = error instanceof KnownError && error.kind === 'stateChanged';
        if (!isConflict || tries >= MAX_TRIES) throw error;
      }
    }
  }

  async #refreshOnce(signal: AbortSignal): Promise<void> {
    const found = await this.#deps.secret.find(signal);
    if (found === undefined) return await this.#goOnWithoutSecret(signal);
    const stored = await this.#madeSound(found, signal);
    // Whoever promoted it made sure of the trust, and one that was made for want of any is better than none.
    this.#serve(stored.material);
    await this.#deps.trust(bundleOf(stored.material), signal);
    await this.#rotate(stored, signal);
  }

  async #goOnWithoutSecret(signal: AbortSignal): Promise<void> {
    if (this.#material !== undefined) await this.#deps.trust(bundleOf(this.#material), signal);
    throw new KnownError('apiRefused', 'the Secret of the webhook certificate is missing; apply the manifests again');
  }

  /** The Secret's, or what is served if that is damaged, or a new one: whatever it is, it is in the Secret afterwards. */
  async #madeSound({ material, version }: StoredMaterial, signal: AbortSignal): Promise<SoundMaterial> {
    const { names, now, make, secret, onNews } = this.#deps;
    const problem = material === undefined ? 'it is empty' : materialProblem(material, names, now());
    if (material !== undefined && problem === undefined) return { material, version };
    const own = this.#material;
    const isOwnSound = own !== undefined && materialProblem(own, names, now()) === undefined;
    const restored = isOwnSound ? own : fresh(await make(names, now()));
    const newVersion = await secret.replace(restored, version, signal);
    onNews(`the Secret of the webhook certificate had no sound one (${problem}): ${isOwnSound ? 'restored' : 'made'}`);
    return { material: restored, version: newVersion };
  }

  async #rotate({ material, version }: SoundMaterial, signal: AbortSignal): Promise<void> {
    const { names, now, make, secret, onNews } = this.#deps;
    // Trust was just made sure of, or this line would not be reached.
    const step = planCertificate(material, { names, now: now() });
    if (step === 'keep') return;
    const rotated = step === 'prepare' ? prepared(material, await make(names, now()), now()) : promoted(material);
    await secret.replace(rotated, version, signal);
    onNews(step === 'prepare' ? 'the next webhook certificate was made' : 'the next webhook certificate is served');
    this.#serve(rotated);
    await this.#deps.trust(bundleOf(rotated), signal);
  }

  #serve(material: CertificateMaterial): void {
    const before = this.#material?.serving;
    this.#material = material;
    if (before?.certPem === material.serving.certPem && before.keyPem === material.serving.keyPem) return;
    this.#deps.onServe(material.serving);
  }
}
