// Requests to the API server. client-node's KubeConfig says where it is and who we are; the connections are our own, because
// those of KubeConfig are not kept: it would open a new one, TLS handshake included, for every request.
// Promises: every request has a deadline; credentials that rotate on disk are picked up; nothing is retried here.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node';
import { exchange, readText } from '../transport/http-exchange.ts';
import { withDeadline } from '../transport/with-deadline.ts';
import { ApiError, apiErrorOf } from './api-error.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export interface ApiClientOptions {
  /** Who asks: audit logs tell it, and the managed fields of an object say by it who wrote what. */
  readonly userAgent: string;
  readonly requestTimeoutMs: number;
  /** Called once per answered or failed request, for metrics. */
  readonly onCall?: (method: ApiRequest['method'], statusCode: number | 'error') => void;
}

/** How long credentials are used before they are asked for again; KubeConfig re-reads token files once a minute. */
const CREDENTIALS_MAX_AGE_MS = 10_000;
/** A burst of plugs is answered over few connections; two more carry the watches. */
export const MAX_CONNECTIONS = 16;
/**
 * When the kernel asks the other end of a silent connection whether it is there still. On a watch nothing may come for a long time, and a
 * change of the node's network cuts it without a word.
 */
const PROBE_MS = 10_000;
/** A page of 500 large pods is some ten megabytes. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

interface Credentials {
  readonly agent: HttpAgent | HttpsAgent;
  readonly headers: Record<string, string>;
  /** The TLS material that `agent` was made with: a change needs a new agent. */
  readonly tls: string;
  readonly readAtMs: number;
}

export class ApiClient {
  readonly #kubeConfig: KubeConfig;
  readonly #options: ApiClientOptions;
  readonly #server: URL;
  #credentials: Credentials | undefined;
  /** The reading that is under way, if any: requests of one burst share it, or each would open connections of its own. */
  #reading: Promise<Credentials> | undefined;

  constructor(kubeConfig: KubeConfig, options: ApiClientOptions) {
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) throw new TypeError('the kubeconfig names no current cluster; set a current-context');
    this.#kubeConfig = kubeConfig;
    this.#options = options;
    this.#server = new URL(cluster.server);
  }

  async json(apiRequest: ApiRequest): Promise<unknown> {
    return JSON.parse(await this.text(apiRequest));
  }

  /** The body as it is: logs, and what a pod answers through the server. */
  async text(apiRequest: ApiRequest): Promise<string> {
    const limits = { deadlineMs: this.#options.requestTimeoutMs, signal: apiRequest.signal };
    return await withDeadline(limits, async (signal) => {
      const answer = await this.#send({ ...apiRequest, signal });
      return await readText(answer, MAX_ANSWER_BYTES);
    });
  }

  /** The body as it comes: for watches, which end when `signal` says so. */
  async stream(apiRequest: ApiRequest & { signal: AbortSignal }): Promise<Readable> {
    return await this.#send(apiRequest);
  }

  close(): void {
    this.#credentials?.agent.destroy();
    this.#credentials = undefined;
  }

  async #send({ method, path, query, body, contentType, accept, signal }: ApiRequest & { signal: AbortSignal }) {
    const { agent, headers } = await this.#freshCredentials();
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    try {
      const answer = await exchange({
        options: {
          agent,
          protocol: this.#server.protocol,
          hostname: this.#server.hostname.replace(/^\[|\]$/g, ''),
          port: this.#server.port,
          method,
          path: `${this.#server.pathname.replace(/\/$/, '')}${path}${search}`,
          headers: {
            ...headers,
            'user-agent': this.#options.userAgent,
            accept: accept ?? 'application/json',
            ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
          },
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
      const statusCode = answer.statusCode ?? 0;
      this.#options.onCall?.(method, statusCode);
      if (statusCode < 300) return answer;
      if (statusCode === 401) this.#credentials = expired(this.#credentials);
      throw apiErrorOf(statusCode, await readText(answer, MAX_ANSWER_BYTES));
    } catch (error) {
      if (!(error instanceof ApiError)) this.#options.onCall?.(method, 'error');
      throw error;
    }
  }

  async #freshCredentials(): Promise<Credentials> {
    const current = this.#credentials;
    if (current !== undefined && Date.now() - current.readAtMs < CREDENTIALS_MAX_AGE_MS) return current;
    this.#reading ??= this.#readCredentials().finally(() => {
      this.#reading = undefined;
    });
    return await this.#reading;
  }

  async #readCredentials(): Promise<Credentials> {
    const current = this.#credentials;
    const read: RequestOptions = {};
    await this.#kubeConfig.applyToHTTPSOptions(read);
    const { ca, cert, key, rejectUnauthorized, servername } = read;
    const tls = JSON.stringify({ ca, cert, key, rejectUnauthorized, servername });
    const headers = Object.fromEntries(
      Object.entries(read.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    const isSameTls = current?.tls === tls;
    const agent = current !== undefined && isSameTls ? current.agent : this.#makeAgent(read);
    this.#credentials = { agent, headers, tls, readAtMs: Date.now() };
    return this.#credentials;
  }

  /** One that is replaced lets its running requests finish: nobody holds its idle connections, so they time out. */
  #makeAgent({ ca, cert, key, rejectUnauthorized, servername }: RequestOptions): HttpAgent | HttpsAgent {
    const options = { keepAlive: true, keepAliveMsecs: PROBE_MS, maxSockets: MAX_CONNECTIONS };
    if (this.#server.protocol === 'http:') return new HttpAgent(options);
    return new HttpsAgent({
      ...options,
      // Else Node reads the certificates anew for every connection, and makes them part of the name of each to find it again.
      secureContext: createSecureContext({ ca, cert, key }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      ...(servername !== undefined && { servername }),
    });
  }
}

const expired = (credentials: Credentials | undefined): Credentials | undefined =>
  credentials && { ...credentials, readAtMs: 0 };
