// The admission server of one replica, from the first certificate to the last answer. Promises: it listens as soon as there is
// a certificate to show, and follows every later one; a source that fails is asked again, and what is served stays served;
// `probe` tells why nobody is served, if nobody is.
import { setTimeout as delay } from 'node:timers/promises';
import { AdmissionServer, type AdmissionServerOptions, type StopOptions } from './admission-server.ts';
import type { ServingPair } from './serving-pair.ts';

export interface CertificateSource {
  /** Looks for another certificate than the last. */
  refresh(signal: AbortSignal): Promise<void>;
  readonly expiry: Date | undefined;
}

export interface WebhookServiceOptions {
  readonly server: Omit<AdmissionServerOptions, 'certificate'>;
  readonly makeSource: (onServe: (pair: ServingPair) => void) => CertificateSource;
  readonly refreshMs: number;
  /** After a refresh that failed. */
  readonly retryMs: number;
  readonly stop: StopOptions;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

export class WebhookService {
  readonly #options: WebhookServiceOptions;
  readonly #source: CertificateSource;
  readonly #ending = new AbortController();
  #given: ServingPair | undefined;
  #shown: ServingPair | undefined;
  #server: AdmissionServer | undefined;
  #lastError: unknown;
  #running: Promise<void> | undefined;

  constructor(options: WebhookServiceOptions) {
    this.#options = options;
    this.#source = options.makeSource((pair) => {
      this.#given = pair;
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Undefined until somebody can be served. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  get expiry(): Date | undefined {
    return this.#source.expiry;
  }

  probe(): void {
    const expiry = this.#source.expiry;
    const why = this.#lastError instanceof Error ? `: ${this.#lastError.message}` : '';
    if (this.#server === undefined) throw new Error(`the webhook has no certificate yet${why}`);
    if (expiry !== undefined && expiry <= this.#options.now()) throw new Error(`its certificate has expired${why}`);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#server?.stop(this.#options.stop);
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const isWell = await this.#refresh(signal);
      await delay(isWell ? this.#options.refreshMs : this.#options.retryMs, undefined, { signal }).catch(
        () => undefined,
      );
    }
  }

  async #refresh(signal: AbortSignal): Promise<boolean> {
    try {
      // Even a refresh that failed half-way may have brought a certificate.
      await this.#source.refresh(signal).finally(() => this.#show());
      this.#lastError = undefined;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#lastError = error;
      this.#options.onError(error);
      return false;
    }
  }

  async #show(): Promise<void> {
    const pair = this.#given;
    if (pair === undefined || pair === this.#shown) return;
    if (this.#server === undefined) {
      this.#server = await AdmissionServer.start({ ...this.#options.server, certificate: pair });
    } else this.#server.useCertificate(pair);
    this.#shown = pair;
  }
}
