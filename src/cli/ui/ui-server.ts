// The page's server, for one person on this machine. Promises: it listens on 127.0.0.1 only; every request must carry the token
// and name this very host, so that neither other users nor web pages (by DNS rebinding) can read the cluster through it; it
// changes nothing; the page loads nothing from anywhere else.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { TimelineEntry, TopologyMessage } from './topology.ts';

export interface UiAssets {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

export interface UiServerOptions {
  readonly assets: UiAssets;
  readonly token: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly subscribe: (listener: (message: TopologyMessage) => void) => () => void;
  readonly timeline: (namespace: string, pod: string, signal: AbortSignal) => Promise<readonly TimelineEntry[]>;
}

export interface UiServer {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const KEEP_ALIVE_MS = 15_000;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export const startUiServer = async (options: UiServerOptions): Promise<UiServer> => {
  const server = createServer((request, response) => void handle(server, options, request, response));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, HOST, resolve);
  await promise;
  return {
    url: `http://${HOST}:${portOf(server)}/?token=${options.token}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const handle = async (
  server: Server,
  options: UiServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const refusal = refusalOf(request, portOf(server), options.token);
  if (refusal !== undefined) return answer(response, refusal.status, 'text/plain', `${refusal.message}\n`);
  const url = new URL(request.url ?? '/', `http://${HOST}`);
  switch (url.pathname) {
    case '/':
      return answer(response, 200, 'text/html', options.assets.html.replaceAll('{{token}}', options.token));
    case '/app.js':
      return answer(response, 200, 'text/javascript', options.assets.script);
    case '/style.css':
      return answer(response, 200, 'text/css', options.assets.style);
    case '/stream':
      return stream(options, response);
    case '/timeline':
      return await sendTimeline(options, url, response);
    default:
      return answer(response, 404, 'text/plain', 'not found\n');
  }
};

/** Why a request is not answered, or undefined when it is. */
const refusalOf = (
  request: IncomingMessage,
  port: number,
  token: string,
): { readonly status: number; readonly message: string } | undefined => {
  const own = [`${HOST}:${port}`, `localhost:${port}`];
  if (!own.includes(request.headers.host ?? '')) return { status: 421, message: 'this host is not served here' };
  const { origin } = request.headers;
  if (origin !== undefined && !own.some((host) => origin === `http://${host}`)) {
    return { status: 403, message: 'requests of other sites are not answered' };
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, message: 'this page only reads' };
  const given = new URL(request.url ?? '/', `http://${HOST}`).searchParams.get('token') ?? '';
  if (!isSame(given, token))
    return { status: 401, message: 'open the address that kubectl dnet ui printed, with its token' };
  return undefined;
};

const isSame = (given: string, token: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const answer = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(body);
};

const stream = ({ subscribe }: UiServerOptions, response: ServerResponse): void => {
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
  const end = subscribe((message) => response.write(`data: ${JSON.stringify(message)}\n\n`));
  const alive = setInterval(() => response.write(': still here\n\n'), KEEP_ALIVE_MS);
  response.once('close', () => {
    clearInterval(alive);
    end();
  });
};

const sendTimeline = async ({ timeline }: UiServerOptions, url: URL, response: ServerResponse): Promise<void> => {
  const [namespace, pod] = [url.searchParams.get('namespace') ?? '', url.searchParams.get('pod') ?? ''];
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const entries = await timeline(namespace, pod, gone.signal);
    answer(response, 200, 'application/json', JSON.stringify(entries));
  } catch (error) {
    if (gone.signal.aborted) return;
    answer(response, 502, 'text/plain', error instanceof Error ? error.message : String(error));
  }
};
