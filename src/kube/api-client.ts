// Requests to the API server. client-node's KubeConfig says where it is and who we are; the transport is one undici agent
// that keeps its connections (KubeConfig itself would open a new TLS connection for every request).
// Promises: every request has a deadline; credentials that rotate on disk are picked up; nothing is retried here.
import type { RequestOptions } from 'node:https';
import type { Readable } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { withDeadline } from '../model/with-deadline.ts';
import { apiErrorOf } from './api-error.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

export interface ApiClientOptions {
  readonly requestTimeoutMs: number;
  /** Called once per answered or failed request, for metrics. */
  readonly onCall?: (method: ApiRequest['method'], statusCode: number | 'error') => void;
}

/** How long credentials are used before they are asked for again; KubeConfig re-reads token files once a minute. */
const CREDENTIALS_MAX_AGE_MS = 10_000;
/** A burst of plugs is answered over few connections; two more carry the watches. */
const MAX_CONNECTIONS = 16;

interface Credentials {
  readonly agent: Agent;
  readonly headers: Record<string, string>;
  /** The TLS material that `agent` was made with: a change needs a new agent. */
  readonly tls: string;
  readonly readAtMs: number;
}

export class ApiClient {
  readonly #kubeConfig: KubeConfig;
  readonly #options: ApiClientOptions;
  readonly #server: string;
  #credentials: Credentials | undefined;
  /** The reading that is under way, if any: requests of one burst share it, or each would open connections of its own. */
  #reading: Promise<Credentials> | undefined;

  constructor(kubeConfig: KubeConfig, options: ApiClientOptions) {
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) throw new TypeError('the kubeconfig names no current cluster; set a current-context');
    this.#kubeConfig = kubeConfig;
    this.#options = options;
    this.#server = cluster.server.replace(/\/$/, '');
  }

  async json(apiRequest: ApiRequest): Promise<unknown> {
    const limits = { deadlineMs: this.#options.requestTimeoutMs, signal: apiRequest.signal };
    return await withDeadline(limits, async (signal) => {
      const body = await this.#send({ ...apiRequest, signal });
      return JSON.parse(await body.text());
    });
  }

  /** The body as it comes: for watches, which end when `signal` says so. */
  async stream(apiRequest: ApiRequest & { signal: AbortSignal }): Promise<Readable> {
    return await this.#send(apiRequest);
  }

  async close(): Promise<void> {
    await this.#credentials?.agent.destroy();
    this.#credentials = undefined;
  }

  async #send({ method, path, query, body, contentType, signal }: ApiRequest) {
    const { agent, headers } = await this.#freshCredentials();
    try {
      const response = await request(new URL(this.#server + path), {
        dispatcher: agent,
        method,
        ...(query && { query }),
        headers: {
          ...headers,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      this.#options.onCall?.(method, response.statusCode);
      if (response.statusCode < 300) return response.body;
      if (response.statusCode === 401) this.#credentials = expired(this.#credentials);
      throw apiErrorOf(response.statusCode, await response.body.text());
    } catch (error) {
      if (!(error instanceof Error && error.name === 'ApiError')) this.#options.onCall?.(method, 'error');
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
    const connect = Object.fromEntries(
      Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(([, value]) => value !== undefined),
    );
    const tls = JSON.stringify(connect);
    const headers = Object.fromEntries(
      Object.entries(read.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    const isSameTls = current?.tls === tls;
    if (current !== undefined && !isSameTls) void current.agent.close(); // lets running requests finish
    const agent =
      current !== undefined && isSameTls
        ? current.agent
        : new Agent({
            connections: MAX_CONNECTIONS,
            bodyTimeout: 0,
            headersTimeout: 0,
            keepAliveTimeout: 30_000,
            connect: { ...connect, keepAlive: true, timeout: 10_000 },
          });
    this.#credentials = { agent, headers, tls, readAtMs: Date.now() };
    return this.#credentials;
  }
}

const expired = (credentials: Credentials | undefined): Credentials | undefined =>
  credentials && { ...credentials, readAtMs: 0 };
