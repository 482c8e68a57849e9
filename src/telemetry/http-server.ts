// /metrics for Prometheus, /healthz and /readyz for the kubelet, /ledger and /addresses of an agent for people and their tools.
// Nothing else, and nothing that changes anything.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { AddressesPage } from './addresses-page.ts';
import type { HealthReport } from './health.ts';
import type { LedgerEntry } from './ledger-page.ts';

export interface TelemetryServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly readiness: () => Promise<HealthReport>;
  /** Only agents have one. */
  readonly ledger?: () => readonly LedgerEntry[];
  readonly addresses?: () => Promise<AddressesPage>;
}

export interface TelemetryServer {
  readonly port: number;
  close(): Promise<void>;
}

export const startTelemetryServer = async (options: TelemetryServerOptions): Promise<TelemetryServer> => {
  const server = createServer(handlerOf(options));
  server.requestTimeout = 10_000;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, options.host || undefined, resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};

const handlerOf =
  ({ registry, readiness, ledger, addresses }: TelemetryServerOptions): RequestListener =>
  async (request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET') return void response.writeHead(405).end();
    try {
      if (path === '/healthz') return void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
      if (path === '/readyz') {
        const report = await readiness();
        const body = `${JSON.stringify(report.parts, null, 2)}\n`;
        return void response.writeHead(report.isReady ? 200 : 503, { 'content-type': 'application/json' }).end(body);
      }
      if (path === '/metrics') {
        const body = await registry.metrics();
        return void response.writeHead(200, { 'content-type': registry.contentType }).end(body);
      }
      const json = (value: unknown) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(value)}\n`);
      if (path === '/ledger' && ledger !== undefined) return json(ledger());
      if (path === '/addresses' && addresses !== undefined) return json(await addresses());
      response.writeHead(404).end();
    } catch (error) {
      response.writeHead(500).end(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  };
