// The generated CRI client with promises, deadlines and our errors.
import { type ClientUnaryCall, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { KnownError } from '../src/model/errors.ts';
import {
  type ContainerStatusResponse,
  type ListContainersResponse,
  type ListPodSandboxResponse,
  PodSandboxState,
  type PodSandboxStatusResponse,
  RuntimeServiceClient,
  type VersionResponse,
} from './generated/runtime.ts';

export interface RuntimeClientOptions {
  readonly socketPath: string;
  readonly timeoutMs: number;
  readonly onCall?: (method: string, outcome: 'ok' | 'error') => void;
}

type UnaryCall<T> = (
  metadata: Metadata,
  options: { deadline: Date },
  callback: (error: ServiceError | null, response: T) => void,
) => ClientUnaryCall;

/** A node with several hundred pods answers ListPodSandbox with more than grpc-js' 4 MiB default. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export class RuntimeClient {
  readonly #options: RuntimeClientOptions;
  readonly #client: RuntimeServiceClient;

  constructor(options: RuntimeClientOptions) {
    this.#options = options;
    this.#client = new RuntimeServiceClient(`unix:${options.socketPath}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      // A restarted runtime is back within seconds; the default of up to two minutes would outlast our own back-off.
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1000,
    });
  }

  version(signal: AbortSignal): Promise<VersionResponse> {
    return this.#call('Version', signal, (...rest) => this.#client.version({ version: 'v1' }, ...rest));
  }

  listReadySandboxes(signal: AbortSignal): Promise<ListPodSandboxResponse> {
    const filter = { id: '', labelSelector: {}, state: { state: PodSandboxState.SANDBOX_READY } };
    return this.#call('ListPodSandbox', signal, (...rest) => this.#client.listPodSandbox({ filter }, ...rest));
  }

  /** Of all that the runtime knows, whatever their state. */
  async sandboxIds(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { items } = await this.#call<ListPodSandboxResponse>('ListPodSandbox', signal, (...rest) =>
      this.#client.listPodSandbox({ filter: undefined }, ...rest),
    );
    return new Set(items.map(({ id }) => id));
  }

  sandboxStatus(podSandboxId: string, signal: AbortSignal): Promise<PodSandboxStatusResponse | undefined> {
    return this.#find('PodSandboxStatus', signal, (...rest) =>
      this.#client.podSandboxStatus({ podSandboxId, verbose: true }, ...rest),
    );
  }

  listContainers(podSandboxId: string, signal: AbortSignal): Promise<ListContainersResponse> {
    return this.#call('ListContainers', signal, (...rest) =>
      this.#client.listContainers({ filter: { id: '', podSandboxId } }, ...rest),
    );
  }

  containerStatus(containerId: string, signal: AbortSignal): Promise<ContainerStatusResponse | undefined> {
    return this.#find('ContainerStatus', signal, (...rest) =>
      this.#client.containerStatus({ containerId, verbose: true }, ...rest),
    );
  }

  close(): void {
    this.#client.close();
  }

  /** undefined when the runtime knows no such thing. */
  async #find<T>(method: string, signal: AbortSignal, start: UnaryCall<T>): Promise<T | undefined> {
    try {
      return await this.#call(method, signal, start);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (isServiceError(cause) && cause.code === status.NOT_FOUND) return undefined;
      throw error;
    }
  }

  #call<T>(method: string, signal: AbortSignal, start: UnaryCall<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const deadline = new Date(Date.now() + this.#options.timeoutMs);
    const call = start(new Metadata(), { deadline }, (error, response) => {
      signal.removeEventListener('abort', cancel);
      this.#options.onCall?.(method, error === null ? 'ok' : 'error');
      if (error === null) resolve(response);
      else reject(this.#unreachable(method, error));
    });
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    return promise;
  }

  #unreachable(method: string, cause: ServiceError): KnownError {
    const message = `${method}: the container runtime at ${this.#options.socketPath}: ${cause.details}; check the runtime on this node`;
    return new KnownError('runtimeUnreachable', message, { cause });
  }
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';
