// A client for the tests of this folder: plain HTTPS with undici, so that what is tested is the wire.

import { Agent, type Dispatcher, request } from 'undici';
import type { EmbeddedApiServer } from './api-server.ts';
import type { KubeObject, ObjectMeta } from './object-store.ts';

/** An object, a list or a Status: whatever a test expects of it is for the test to check. */
export interface ReplyBody extends Partial<Omit<KubeObject, 'metadata'>> {
  metadata: Partial<ObjectMeta> & { continue?: string; remainingItemCount?: number };
  items: KubeObject[];
  message?: string;
}

export interface Reply {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  body: ReplyBody;
}

export interface Send {
  body?: unknown;
  contentType?: string;
  token?: string | null;
}

export const mergePatch = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';

export class TestClient {
  readonly #server: EmbeddedApiServer;
  readonly #agent: Agent;
  readonly #token: string;

  constructor(server: EmbeddedApiServer, token = 'embedded-admin') {
    this.#server = server;
    this.#token = token;
    this.#agent = new Agent({ connect: { ca: server.caPem }, connections: 32, bodyTimeout: 0, headersTimeout: 0 });
  }

  async send(method: Dispatcher.HttpMethod, path: string, options: Send = {}): Promise<Reply> {
    const { statusCode, headers, body } = await this.#request(method, path, options);
    const text = await body.text();
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status: statusCode, headers, body: isJson ? JSON.parse(text) : text };
  }

  get(path: string, options?: Send): Promise<Reply> {
    return this.send('GET', path, options);
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.send('POST', path, { body });
  }

  put(path: string, body: unknown): Promise<Reply> {
    return this.send('PUT', path, { body });
  }

  patch(path: string, body: unknown, contentType = mergePatch): Promise<Reply> {
    return this.send('PATCH', path, { body, contentType });
  }

  delete(path: string, body?: unknown): Promise<Reply> {
    return this.send('DELETE', path, body === undefined ? {} : { body });
  }

  /** Resolves once the server has accepted the watch. */
  async watch(path: string): Promise<WatchReader> {
    const { statusCode, body } = await this.#request('GET', `${path}${path.includes('?') ? '&' : '?'}watch=true`, {});
    if (statusCode !== 200) throw new Error(`watch refused: ${statusCode} ${await body.text()}`);
    return new WatchReader(body);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #request(method: Dispatcher.HttpMethod, path: string, options: Send): Promise<Dispatcher.ResponseData> {
    const { body, contentType = 'application/json', token = this.#token } = options;
    return request(this.#server.url + path, {
      method,
      dispatcher: this.#agent,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
}

export interface SeenEvent {
  type: string;
  object: KubeObject & { code?: number };
}

export class WatchReader {
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #chunks: AsyncIterator<Buffer>;
  #unread = '';

  constructor(body: Dispatcher.ResponseData['body']) {
    this.#body = body;
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** The next event; undefined at a clean end; throws when the connection broke. */
  async next(): Promise<SeenEvent | undefined> {
    for (;;) {
      const end = this.#unread.indexOf('\n');
      if (end !== -1) {
        const line = this.#unread.slice(0, end);
        this.#unread = this.#unread.slice(end + 1);
        return JSON.parse(line);
      }
      const chunk = await this.#chunks.next();
      if (chunk.done) return undefined;
      this.#unread += chunk.value.toString();
    }
  }

  /** The next `count` events as `TYPE name`. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const event = await this.next();
      seen.push(event === undefined ? 'end' : `${event.type} ${event.object.metadata.name ?? event.object.code ?? ''}`);
    }
    return seen;
  }

  /** What came after the last whole line. */
  get unread(): string {
    return this.#unread;
  }

  close(): void {
    this.#body.on('error', () => undefined).destroy();
  }
}

/** A scheduled, running pod. */
export const podNamed = (name: string, overrides: { labels?: Record<string, string>; nodeName?: string } = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...(overrides.labels && { labels: overrides.labels }) },
  spec: { nodeName: overrides.nodeName ?? 'node-a', containers: [{ name: 'main', image: 'busybox' }] },
  status: { phase: 'Running' },
});
