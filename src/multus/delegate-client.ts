// The client of Multus' /delegate: one CNI command per call, over the daemon's unix socket, on kept connections.
// Every failure says whether the daemon may have acted: what was never sent needs no undoing, what was answered is over,
// and when the answer was lost, the plugin may still be at work.
import { Pool } from 'undici';
import type { CniResult } from '../model/cni-result.ts';
import type { DelegateRequest } from '../model/delegate-request.ts';
import { DelegateError } from '../model/errors.ts';
import { withDeadline } from '../model/with-deadline.ts';
import { parseAddReply } from './delegate-reply.ts';

export interface DelegateClientOptions {
  readonly socketPath: string;
  readonly timeoutMs: number;
  readonly maxConnections: number;
  readonly onCall?: (command: string, outcome: 'ok' | 'failed' | 'unreachable', durationMs: number) => void;
}

/** Failures in which not a byte of the request reached the daemon. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM', 'UND_ERR_CONNECT_TIMEOUT']);
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export class DelegateClient {
  readonly #options: DelegateClientOptions;
  readonly #pool: Pool;

  constructor(options: DelegateClientOptions) {
    this.#options = options;
    this.#pool = new Pool('http://multus', {
      socketPath: options.socketPath,
      connections: options.maxConnections,
      connectTimeout: 5000,
      headersTimeout: 0, // the deadline is a signal per call
      bodyTimeout: 0,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  async add(request: DelegateRequest, signal: AbortSignal): Promise<CniResult> {
    const text = await this.#call('ADD', request, signal);
    try {
      return parseAddReply(text);
    } catch (cause) {
      throw new DelegateError(
        'delegateFailed',
        'answered',
        `Multus answered ADD with something that is no CNI result: ${text.slice(0, 200)}`,
        { cause },
      );
    }
  }

  async del(request: DelegateRequest, signal: AbortSignal): Promise<void> {
    await this.#call('DEL', request, signal);
  }

  async check(request: DelegateRequest, signal: AbortSignal): Promise<void> {
    await this.#call('CHECK', request, signal);
  }

  /** Throws when the daemon does not answer its health endpoint. */
  async probe(signal: AbortSignal): Promise<void> {
    const { statusCode, body } = await this.#pool.request({ method: 'GET', path: '/healthz', signal });
    await body.dump();
    if (statusCode !== 200) throw new Error(`Multus answered ${statusCode} on /healthz`);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #call(command: 'ADD' | 'DEL' | 'CHECK', request: DelegateRequest, signal: AbortSignal): Promise<string> {
    const started = performance.now();
    const report = (outcome: 'ok' | 'failed' | 'unreachable') =>
      this.#options.onCall?.(command, outcome, performance.now() - started);
    let answer: { statusCode: number; text: string };
    try {
      answer = await withDeadline({ deadlineMs: this.#options.timeoutMs, signal }, (deadline) =>
        this.#post(bodyOf(command, request), deadline),
      );
    } catch (cause) {
      report('unreachable');
      throw unreachable(command, cause, this.#options);
    }
    report(answer.statusCode === 200 ? 'ok' : 'failed');
    if (answer.statusCode === 200) return answer.text;
    throw new DelegateError('delegateFailed', 'answered', `${command} failed: ${conciseError(answer.text)}`);
  }

  async #post(body: string, signal: AbortSignal): Promise<{ statusCode: number; text: string }> {
    const headers = { 'content-type': 'application/json' };
    const response = await this.#pool.request({ method: 'POST', path: '/delegate', headers, body, signal });
    return { statusCode: response.statusCode, text: await response.body.text() };
  }
}

const bodyOf = (command: string, request: DelegateRequest): string =>
  JSON.stringify({
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: request.containerId,
      CNI_NETNS: request.netns,
      CNI_IFNAME: request.interface,
      CNI_ARGS: `K8S_POD_NAMESPACE=${request.pod.namespace};K8S_POD_NAME=${request.pod.name};K8S_POD_UID=${request.pod.uid}`,
    },
    config: Buffer.from(request.config).toString('base64'),
    interfaceAttributes: request.attributes,
  });

/** The daemon puts the whole request before its complaint; people want the complaint. */
const conciseError = (text: string): string => {
  const marker = ' ERRORED: ';
  const start = text.indexOf(marker);
  return (start < 0 ? text : text.slice(start + marker.length)).trim().slice(0, 1024);
};

const unreachable = (
  command: string,
  cause: unknown,
  { socketPath, timeoutMs }: DelegateClientOptions,
): DelegateError => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const wasSent = !NEVER_SENT.has(code);
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const detail = isTimeout
    ? `no answer within ${timeoutMs} ms`
    : cause instanceof Error
      ? cause.message
      : String(cause);
  const message = `${command}: Multus at ${socketPath}: ${detail}; check the Multus daemon on this node`;
  return new DelegateError('delegateUnreachable', wasSent ? 'lost' : 'neverSent', message, { cause });
};
