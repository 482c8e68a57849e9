// Talks to the API server without a process per request: a kubectl costs a fifth of a second, most of it of a processor. It
// reads the kubeconfigs that the harness makes (kubeconfig.ts): JSON, with certificates inside. Of other clusters the global
// set-up gives the address of a `kubectl proxy`, which reads whatever kubeconfigs there are.
import { readFileSync } from 'node:fs';
import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Target } from './target.ts';

export type JsonPatch = readonly (
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
)[];

export type WatchEvent<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

export class ApiError extends Error {
  readonly status: number;
  constructor(method: string, path: string, status: number, body: string) {
    super(`${method} ${path} was answered with ${status}: ${body.slice(0, 500)}`);
    this.name = 'ApiError';
    this.status = status;
  }
}

export type ApiClient = ReturnType<typeof makeApiClient>;

type Endpoint = { readonly options: RequestOptions; readonly request: typeof request };

type Kubeconfig = {
  readonly clusters: readonly { cluster: { server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { user: { 'client-certificate-data': string; 'client-key-data': string } }[];
};

const decode = (data: string): string => Buffer.from(data, 'base64').toString();

const connections = { keepAlive: true, maxSockets: 16 };

const proxyEndpoint = (apiUrl: string): Endpoint => {
  const { hostname, port } = new URL(apiUrl);
  return { options: { hostname, port, agent: new PlainAgent(connections) }, request: requestPlain };
};

const endpointOf = (kubeconfigPath: string): Endpoint => {
  const config: Kubeconfig = JSON.parse(readFileSync(kubeconfigPath, 'utf8'));
  const [cluster, user] = [config.clusters[0]?.cluster, config.users[0]?.user];
  if (cluster === undefined || user === undefined)
    throw new Error(`${kubeconfigPath}: expected a cluster and a user, found none`);
  const { hostname, port } = new URL(cluster.server);
  const identity = {
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
  return { options: { hostname, port, ...identity, agent: new Agent({ ...connections, ...identity }) }, request };
};

export const makeApiClient = (kubeconfigPath: string) => clientOf(endpointOf(kubeconfigPath));

/** Of any cluster that the suite runs against. */
export const connectApi = ({ apiUrl, kubeconfigPath }: Pick<Target, 'apiUrl' | 'kubeconfigPath'>): ApiClient =>
  clientOf(apiUrl === undefined ? endpointOf(kubeconfigPath) : proxyEndpoint(apiUrl));

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

const clientOf = (endpoint: Endpoint) => {
  const exchange = (options: RequestOptions, body?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = endpoint.request({ ...endpoint.options, ...options }, resolve);
      outgoing.on('error', (error) => {
        // A connection that was kept from before the API server was restarted: the request did not get there.
        if (outgoing.reusedSocket && isConnectionLost(error)) resolve(exchange(options, body));
        else reject(error);
      });
      outgoing.end(body);
    });

  const send = async <T>(method: string, path: string, body?: object, contentType = 'application/json'): Promise<T> => {
    const headers = body === undefined ? {} : { 'content-type': contentType };
    const response = await exchange({ method, path, headers }, body === undefined ? undefined : JSON.stringify(body));
    const reply = await text(response);
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new ApiError(method, path, status, reply);
    const value: T = JSON.parse(reply);
    return value;
  };

  return {
    get: <T>(path: string): Promise<T> => send<T>('GET', path),
    create: <T>(path: string, object: object): Promise<T> => send<T>('POST', path, object),
    delete: (path: string, options?: object): Promise<unknown> => send('DELETE', path, options),
    jsonPatch: <T>(path: string, patch: JsonPatch): Promise<T> =>
      send<T>('PATCH', path, patch, 'application/json-patch+json'),
    mergePatch: <T>(path: string, patch: object): Promise<T> =>
      send<T>('PATCH', path, patch, 'application/merge-patch+json'),

    /** Makes the object, or changes it to this: the path is its own, with its name. */
    apply: <T>(path: string, object: object): Promise<T> =>
      send<T>('PATCH', `${path}?fieldManager=e2e&force=true`, object, 'application/apply-patch+yaml'),

    /** Every object of the list first, then each change; ends when the server ends it, or with an AbortError. */
    watch: async function* <T>(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
      const response = await exchange({ method: 'GET', path: `${path}?watch=true`, signal });
      if (response.statusCode !== 200)
        throw new ApiError('WATCH', path, response.statusCode ?? 0, await text(response));
      for await (const line of createInterface({ input: response })) {
        const event: WatchEvent<T> = JSON.parse(line);
        yield event;
      }
    },
  };
};
