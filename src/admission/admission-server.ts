// The HTTPS server that the API server asks before it stores pods.
// Promises: every question gets exactly one answer, and gets it before the API server stops waiting; a question that cannot be
// read is answered with its reason; another certificate takes effect for the next connection and cuts none; a server that
// stops answers everything it has been asked, and asks its clients to go elsewhere before it closes the door.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AdmissionDecision, AdmissionRequest } from '../model/admission.ts';
import { withDeadline } from '../transport/with-deadline.ts';
import { answerReview, parseReview, ReviewError } from './admission-review.ts';
import { BodyTooLarge, readBody } from './read-body.ts';
import { answerWithinMs } from './request-timeout.ts';
import type { ServingPair } from './serving-pair.ts';

export type Decide = (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionDecision>;

/** How a question ended: `unreadable` was no AdmissionReview, `failed` is a bug of ours. */
export type AdmissionOutcome = 'allowed' | 'warned' | 'refused' | 'unreadable' | 'late' | 'failed';

export interface AdmissionServerOptions {
  readonly host: string;
  readonly port: number;
  readonly certificate: ServingPair;
  /** By path, with its leading slash. */
  readonly webhooks: Readonly<Record<string, Decide>>;
  readonly onAnswer?: (path: string, outcome: AdmissionOutcome, durationMs: number) => void;
  readonly onBug?: (path: string, error: unknown) => void;
}

export interface StopOptions {
  /** How long new connections are still served, while the endpoints of the Service forget this replica. */
  readonly lingerMs: number;
  /** How long answers in flight may take after that. */
  readonly graceMs: number;
}

/** A pod and what it was, with room: the API server itself takes no object above 3 MiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Slow senders hold no connection for longer. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than the API server keeps an idle connection (90 s): it is the one to close them, so that none is cut under a question. */
const KEEP_ALIVE_MS = 120_000;
const MAX_CONNECTIONS = 1000;

export class AdmissionServer {
  readonly #options: AdmissionServerOptions;
  readonly #server: Server;
  #port = 0;
  #isStopping = false;
  /** Questions that are being answered. */
  #inFlight = 0;

  private constructor(options: AdmissionServerOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        ...tlsOf(options.certificate),
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: 16 * 1024,
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    // A client that does not trust us, or a port scanner: its own problem, and seen in the API server's log.
    this.#server.on('tlsClientError', () => undefined);
  }

  static async start(options: AdmissionServerOptions): Promise<AdmissionServer> {
    const started = new AdmissionServer(options);
    const listening = Promise.withResolvers<void>();
    started.#server.once('error', listening.reject);
    started.#server.listen(options.port, options.host || undefined, listening.resolve);
    await listening.promise;
    const address = started.#server.address();
    if (address !== null && typeof address === 'object') started.#port = address.port;
    return started;
  }

  get port(): number {
    return this.#port;
  }

  useCertificate(pair: ServingPair): void {
    this.#server.setSecureContext(tlsOf(pair));
  }

  async stop({ lingerMs, graceMs }: StopOptions): Promise<void> {
    this.#isStopping = true;
    if (lingerMs > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs));
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    const giveUp = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(giveUp);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://webhook');
    if (url.pathname === '/healthz' && request.method === 'GET') return this.#say(response, 200, 'ok');
    const decide = Object.hasOwn(this.#options.webhooks, url.pathname)
      ? this.#options.webhooks[url.pathname]
      : undefined;
    if (decide === undefined) return this.#say(response, 404, 'no webhook has this path');
    if (request.method !== 'POST') return this.#say(response, 405, 'an AdmissionReview is sent with POST');
    const startedAt = performance.now();
    this.#inFlight += 1;
    try {
      const outcome = await this.#answer(decide, url, request, response);
      this.#options.onAnswer?.(url.pathname, outcome, performance.now() - startedAt);
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #answer(
    decide: Decide,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<AdmissionOutcome> {
    // Who asked may be gone before the answer: what is done for them ends then.
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const limits = { deadlineMs: answerWithinMs(url.searchParams.get('timeout')), signal: gone.signal };
    try {
      return await withDeadline(limits, async (signal) => {
        const review = parseReview(await readBody(request, MAX_BODY_BYTES));
        const { decision, outcome } = await this.#decide(decide, review, url.pathname, signal);
        this.#send(response, 200, 'application/json', answerReview(review.uid, decision));
        return outcome;
      });
    } catch (error) {
      if (response.destroyed) return 'late';
      if (error instanceof BodyTooLarge) this.#say(response, 413, error.message);
      else this.#say(response, 400, error instanceof Error ? error.message : String(error));
      if (!(error instanceof BodyTooLarge || error instanceof ReviewError)) {
        this.#options.onBug?.(url.pathname, error);
        return 'failed';
      }
      return 'unreadable';
    }
  }

  async #decide(
    decide: Decide,
    review: AdmissionRequest,
    path: string,
    signal: AbortSignal,
  ): Promise<{ decision: AdmissionDecision; outcome: AdmissionOutcome }> {
    try {
      const decision = await raceSignal(decide(review, signal), signal);
      if (decision.refusal !== undefined) return { decision, outcome: 'refused' };
      return { decision, outcome: (decision.warnings ?? []).length > 0 ? 'warned' : 'allowed' };
    } catch (error) {
      const isLate = signal.aborted;
      if (!isLate) this.#options.onBug?.(path, error);
      const detail = error instanceof Error ? error.message : String(error);
      const message = isLate
        ? `no decision in time (${detail}); try again`
        : `the webhook failed unexpectedly: ${detail}`;
      const refusal = { reason: 'ServiceUnavailable', message } as const;
      return { decision: { refusal }, outcome: isLate ? 'late' : 'failed' };
    }
  }

  #say(response: ServerResponse, code: number, message: string): void {
    this.#send(response, code, 'text/plain; charset=utf-8', `${message}\n`);
  }

  #send(response: ServerResponse, code: number, contentType: string, body: string): void {
    // Whoever was asked while the server stops goes elsewhere next time.
    const connection = this.#isStopping ? { connection: 'close' } : {};
    response.writeHead(code, { 'content-type': contentType, ...connection }).end(body);
  }
}

const raceSignal = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // The loser must not become an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

const tlsOf = ({ certPem, keyPem }: ServingPair) => ({ cert: certPem, key: keyPem, minVersion: 'TLSv1.2' as const });
