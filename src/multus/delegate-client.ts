// The client of Multus' /delegate: one CNI command per call, over the daemon's unix socket.
// Every failure says whether the daemon may have acted: what was never sent needs no undoing, what was answered is over,
// and when the answer was lost, the plugin may still be at work.
import { Agent, type RequestOptions } from 'node:http';
import type { CniResult } from '../model/cni-result.ts';
import type { DelegateRequest } from '../model/delegate-request.ts';
import { DelegateError } from '../model/errors.ts';
import { exchange, readText } from '../transport/http-exchange.ts';
import { withDeadline } from '../transport/with-deadline.ts';
import { parseAddReply } from './delegate-reply.ts';

export interface DelegateClientOptions {
  readonly socketPath: string;
  readonly timeoutMs: number;
  readonly maxConnections: number;
  readonly onCall?: (command: string, outcome: 'ok' | 'failed' | 'unreachable', durationMs: number) => void;
}

/** Failures in which not a byte of the request reached the daemon. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM']);
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export class DelegateClient {
  readonly #options: DelegateClientOptions;
  /** The daemon closes every connection after its answer, so none is kept. */
  readonly #agent: Agent;

  constructor(options: DelegateClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: false, maxSockets: options.maxConnections });
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
    const { statusCode } = await this.#ask({ method: 'GET', path: '/healthz' }, signal);
    if (statusCode !== 200) throw new Error(`Multus answered ${statusCode} on /healthz`);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #call(command: 'ADD' | 'DEL' | 'CHECK', request: DelegateRequest, signal: AbortSignal): Promise<string> {
    const started = performance.now();
    const report = (outcome: 'ok' | 'failed' | 'unreachable') =>
      this.#options.onCall?.(command, outcome, performance.now() - started);
    let answer: Answer;
    try {
      const headers = { 'content-type': 'application/json' };
      answer = await withDeadline({ deadlineMs: this.#options.timeoutMs, signal }, (deadline) =>
        this.#ask({ method: 'POST', path: '/delegate', headers }, deadline, bodyOf(command, request)),
      );
    } catch (cause) {
      report('unreachable');
      throw unreachable(command, cause, this.#options);
    }
    report(answer.statusCode === 200 ? 'ok' : 'failed');
    if (answer.statusCode === 200) return answer.text;
    throw new DelegateError('delegateFailed', 'answered', `${command} failed: ${conciseError(answer.text)}`);
  }

  async #ask(options: RequestOptions, signal: AbortSignal, body?: string): Promise<Answer> {
    const { socketPath } = this.#options;
    const answer = await exchange({
      options: { ...options, socketPath, agent: this.#agent },
      ...(body !== undefined && { body }),
      signal,
    });
    return { statusCode: answer.statusCode ?? 0, text: await readText(answer, MAX_ANSWER_BYTES) };
  }
}

interface Answer {
  readonly statusCode: number;
  readonly text: string;
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
