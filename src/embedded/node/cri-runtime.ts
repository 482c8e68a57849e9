// The container runtime's CRI endpoint: gRPC on a unix socket, over the sandbox table that the kubelet fills.
// Promises: answers what the table says at the time of the call; `down` closes the socket and cuts open calls, `up`
// reopens the same path; faults strike matching calls only.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type handleUnaryCall, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { type RuntimeServiceServer, RuntimeServiceService } from '../../../cri/generated/runtime.ts';
import {
  containerInfo,
  sandboxInfo,
  selectContainers,
  selectSandboxes,
  toContainer,
  toPodSandbox,
} from './cri-messages.ts';
import { FaultTable, type InjectedFault } from './fault-table.ts';
import { type RequestHook, type RequestPhase, RequestTrace } from './request-trace.ts';
import { SandboxTable } from './sandbox-table.ts';

export type CriMethod = 'Version' | 'ListPodSandbox' | 'PodSandboxStatus' | 'ListContainers' | 'ContainerStatus';

export interface CriCall {
  readonly id: number;
  readonly method: CriMethod;
  readonly request: unknown;
}

export type CriFault =
  | { readonly kind: 'slow'; readonly ms: number }
  /** No answer until the fault is released. */
  | { readonly kind: 'hang' }
  /** A gRPC status code, 14 (unavailable) if absent. */
  | { readonly kind: 'error'; readonly code?: number; readonly message?: string }
  /** This text in place of the verbose JSON. */
  | { readonly kind: 'garbageInfo'; readonly text: string };

export interface CriFaultFilter {
  readonly method?: CriMethod;
  readonly times?: number;
}

class CriError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class CriRuntime {
  readonly sandboxes = new SandboxTable();
  readonly #socketPath: string;
  readonly #faults = new FaultTable<CriFault, CriCall>();
  readonly #trace = new RequestTrace<CriCall>();
  #server: Server | undefined;
  #lastId = 0;

  constructor(options: { readonly socketPath: string }) {
    this.#socketPath = options.socketPath;
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  async up(): Promise<void> {
    if (this.#server !== undefined) return;
    rmSync(this.#socketPath, { force: true });
    const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
    server.addService(RuntimeServiceService, this.#service());
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.#socketPath}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    this.#server = server;
  }

  async down(): Promise<void> {
    this.#server?.forceShutdown();
    this.#server = undefined;
    rmSync(this.#socketPath, { force: true });
  }

  async stop(): Promise<void> {
    this.#faults.clear();
    await this.down();
  }

  inject(fault: CriFault, filter: CriFaultFilter = {}): InjectedFault {
    const matches = (call: CriCall): boolean => filter.method === undefined || filter.method === call.method;
    return this.#faults.inject(fault, matches, filter.times);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  onRequest(hook: RequestHook<CriCall>, phase: RequestPhase = 'received'): () => void {
    return this.#trace.on(hook, phase);
  }

  get calls(): readonly CriCall[] {
    return this.#trace.calls;
  }

  count(method?: CriMethod): number {
    return this.#trace.count((call) => method === undefined || call.method === method);
  }

  forgetCalls(): void {
    this.#trace.forget();
  }

  #service(): RuntimeServiceServer {
    const table = this.sandboxes;
    return {
      version: this.#unary('Version', () => ({
        version: '0.1.0',
        runtimeName: 'containerd',
        runtimeVersion: '1.6.20~embedded',
        runtimeApiVersion: 'v1',
      })),
      listPodSandbox: this.#unary('ListPodSandbox', (request) => ({
        items: selectSandboxes(table, request).map(toPodSandbox),
      })),
      podSandboxStatus: this.#unary('PodSandboxStatus', ({ podSandboxId, verbose }, garbage) => {
        const sandbox = table.find(podSandboxId);
        if (sandbox === undefined) {
          throw new CriError(status.NOT_FOUND, 'an error occurred when try to find sandbox: not found');
        }
        return { status: toPodSandbox(sandbox), info: infoOf(verbose, garbage ?? sandboxInfo(sandbox)) };
      }),
      listContainers: this.#unary('ListContainers', (request) => ({
        containers: selectContainers(table, request).map(toContainer),
      })),
      containerStatus: this.#unary('ContainerStatus', ({ containerId, verbose }, garbage) => {
        const container = table.findContainer(containerId);
        if (container === undefined) {
          throw new CriError(
            status.NOT_FOUND,
            `an error occurred when try to find container "${containerId}": not found`,
          );
        }
        const { id, state } = toContainer(container);
        return { status: { id, state }, info: infoOf(verbose, garbage ?? containerInfo(container)) };
      }),
    };
  }

  #unary<Request, Response>(
    method: CriMethod,
    answer: (request: Request, garbage: string | undefined) => Response,
  ): handleUnaryCall<Request, Response> {
    return ({ request }, callback) => {
      this.#answer(method, request, answer).then(
        (response) => callback(null, response),
        (error: unknown) =>
          callback({
            code: error instanceof CriError ? error.code : status.INTERNAL,
            details: error instanceof Error ? error.message : String(error),
          }),
      );
    };
  }

  async #answer<Request, Response>(
    method: CriMethod,
    request: Request,
    answer: (request: Request, garbage: string | undefined) => Response,
  ): Promise<Response> {
    this.#lastId += 1;
    const call: CriCall = { id: this.#lastId, method, request };
    this.#trace.add(call);
    await this.#trace.reach(call, 'received');
    let garbage: string | undefined;
    for (const { fault, released } of this.#faults.strike(call)) {
      if (fault.kind === 'slow') await sleep(fault.ms);
      if (fault.kind === 'hang') await released;
      if (fault.kind === 'garbageInfo') garbage = fault.text;
      if (fault.kind === 'error')
        throw new CriError(fault.code ?? status.UNAVAILABLE, fault.message ?? 'injected error');
    }
    const response = answer(request, garbage);
    await this.#trace.reach(call, 'acted');
    return response;
  }
}

const infoOf = (isVerbose: boolean, text: string): Record<string, string> => (isVerbose ? { info: text } : {});
