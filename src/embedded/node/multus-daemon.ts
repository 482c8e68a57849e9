// The Multus daemon: HTTP on a unix socket, as the agent meets it, and in-process for the simulated kubelet.
// Promises: a request is answered after it was acted upon, each exactly once; faults change what is answered or whether
// it is acted upon, never half of either except where they say so; `down` closes the socket, `up` reopens the same path.
import { linkSync, renameSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '../api/object-store.ts';
import { DelegateHandler } from './delegate-handler.ts';
import { type DelegateCall, parseDelegateRequest } from './delegate-request.ts';
import { DelegateRunner } from './delegate-runner.ts';
import { FaultTable, type InjectedFault } from './fault-table.ts';
import type { IpamStore } from './ipam-store.ts';
import type { JsonObject } from './json-values.ts';
import type { Kernel } from './kernel.ts';
import { Libcni } from './libcni.ts';
import { decideFault, type FaultFilter, type MultusFault, matchesFilter } from './multus-faults.ts';
import { installedPlugins } from './plugins.ts';
import { PodNetworks } from './pod-networks.ts';
import { type RequestHook, type RequestPhase, RequestTrace } from './request-trace.ts';
import { ResultFiles } from './result-files.ts';

export interface MultusDaemonOptions {
  readonly socketPath: string;
  readonly cacheDir: string;
  readonly store: ObjectStore;
  readonly kernel: Kernel;
  readonly ipam: IpamStore;
  /** The daemon's own configuration file: its keys override those of every request's config. */
  readonly serverConfig: JsonObject;
  readonly defaultNetwork: JsonObject;
  readonly isolation?: { readonly globalNamespaces: readonly string[] } | undefined;
  readonly emitEvents?: boolean;
  readonly podLookupMs?: number;
}

export class MultusDaemon {
  readonly podNetworks: PodNetworks;
  readonly #options: MultusDaemonOptions;
  readonly #handler: DelegateHandler;
  readonly #runner: DelegateRunner;
  readonly #faults = new FaultTable<MultusFault, DelegateCall>();
  readonly #trace = new RequestTrace<DelegateCall>();
  #server: Server | undefined;
  #upAgain = Promise.withResolvers<void>();
  #lastId = 0;

  constructor(options: MultusDaemonOptions) {
    const { store, kernel, ipam, cacheDir, emitEvents = true, podLookupMs = 0 } = options;
    this.#options = options;
    const libcni = new Libcni(installedPlugins(), { kernel, ipam });
    const results = new ResultFiles(cacheDir);
    this.#runner = new DelegateRunner({ libcni, kernel, store, results, emitEvents });
    this.#handler = new DelegateHandler({ store, runner: this.#runner, podLookupMs });
    this.podNetworks = new PodNetworks({
      store,
      runner: this.#runner,
      cacheDir,
      results,
      defaultNetwork: options.defaultNetwork,
      isolation: options.isolation,
    });
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  /** Resolves at once while the daemon is up. */
  whenUp(): Promise<void> {
    return this.#upAgain.promise;
  }

  async up(): Promise<void> {
    if (this.#server !== undefined) return;
    rmSync(this.#options.socketPath, { force: true });
    const server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#options.socketPath, resolve);
    });
    this.#server = server;
    this.#upAgain.resolve();
  }

  /** Cuts all connections. With `stale` the socket's file stays (connection refused), as after a crash of the daemon. */
  async down(options: { stale?: boolean } = {}): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    this.#upAgain = Promise.withResolvers();
    const kept = `${this.#options.socketPath}.stale`;
    if (options.stale) linkSync(this.#options.socketPath, kept);
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    if (options.stale) renameSync(kept, this.#options.socketPath);
  }

  async stop(): Promise<void> {
    this.#faults.clear();
    await this.down();
    rmSync(this.#options.socketPath, { force: true });
  }

  inject(fault: MultusFault, filter: FaultFilter = {}): InjectedFault {
    return this.#faults.inject(fault, (call) => matchesFilter(call, filter), filter.times);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  onRequest(hook: RequestHook<DelegateCall>, phase: RequestPhase = 'received'): () => void {
    return this.#trace.on(hook, phase);
  }

  /** Every `/delegate` request that could be parsed, in order of arrival. */
  get calls(): readonly DelegateCall[] {
    return this.#trace.calls;
  }

  count(filter: FaultFilter = {}): number {
    return this.#trace.count((call) => matchesFilter(call, filter));
  }

  forgetCalls(): void {
    this.#trace.forget();
  }

  set emitEvents(value: boolean) {
    this.#runner.emitEvents = value;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The real daemon has keep-alive switched off: every answer closes its connection.
    response.shouldKeepAlive = false;
    try {
      if (request.url === '/healthz') {
        const isAllowed = request.method === 'GET' || request.method === 'POST';
        return void (isAllowed ? response.writeHead(200).end() : fail(response, 405, 'Method not allowed'));
      }
      if (request.url !== '/delegate') return void response.writeHead(404).end();
      if (request.method !== 'POST') return fail(response, 405, 'Method not allowed');
      await this.#delegate(await text(request), response);
    } catch {
      // The client went away, or a hook threw: either way nobody is left to answer.
      response.destroy();
    }
  }

  async #delegate(body: string, response: ServerResponse): Promise<void> {
    let call: DelegateCall;
    try {
      this.#lastId += 1;
      call = parseDelegateRequest(body, this.#options.serverConfig, this.#lastId);
    } catch (error) {
      return fail(response, 400, error instanceof Error ? error.message : String(error));
    }
    this.#trace.add(call);
    await this.#trace.reach(call, 'received');
    const fault = decideFault(this.#faults.strike(call));
    if (fault.delayMs > 0) await sleep(fault.delayMs);
    await Promise.all(fault.hangs);
    let status = 200;
    let answer = '';
    if (fault.acts) {
      try {
        answer = await this.#handler.handle(call, fault.halfWay);
      } catch (error) {
        status = 400;
        answer = error instanceof Error ? error.message : String(error);
      }
      await this.#trace.reach(call, 'acted');
    }
    if (fault.error !== undefined) [status, answer] = [400, this.#handler.errorText(call, fault.error)];
    if (fault.answer !== undefined) return finish(call, response, fault.answer.status, fault.answer.body);
    if (fault.cuts) return cut(call, response, answer);
    if (status === 400) call.error = answer;
    finish(call, response, status, status === 400 ? `${answer}\n` : answer);
  }
}

const fail = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end(`${message}\n`);
};

const finish = (call: DelegateCall, response: ServerResponse, status: number, body: string): void => {
  call.status = status;
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(body);
};

/** Half of the answer, then the end of the connection. */
const cut = (call: DelegateCall, response: ServerResponse, body: string): void => {
  call.status = 0;
  const bytes = Buffer.from(body || '{"Result":{}}');
  response.writeHead(200, { 'Content-Length': bytes.length });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
};
