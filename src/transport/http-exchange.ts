// One HTTP request and its answer, on Node's own client. Not undici, which every other choice would be made of: its parser
// is WebAssembly, and running that costs the agent about 18 MiB of memory for the same requests.
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface Exchange {
  /** Where and how: agent, host or socket, method, path, headers. */
  readonly options: RequestOptions;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Resolves when the head of the answer is there; its body is read by the caller. Rejects with what the signal says. */
export const exchange = async (given: Exchange): Promise<IncomingMessage> => {
  try {
    return await sendOnce(given);
  } catch (error) {
    // A kept connection may have been closed by the server just as it was used again: nothing was answered, so once more.
    if (error instanceof StaleConnection) return await sendOnce(given);
    throw error;
  }
};

class StaleConnection extends Error {}

const sendOnce = ({ options, body, signal }: Exchange): Promise<IncomingMessage> => {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = options.protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing: ClientRequest = send(options);
  let answer: IncomingMessage | undefined;
  // Not the `signal` option: it would end the body with an error of Node's own instead of the signal's reason.
  const end = () => (answer ?? outgoing).destroy(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  outgoing.once('close', () => signal.removeEventListener('abort', end));
  outgoing.once('response', (message) => {
    answer = message;
    resolve(message);
  });
  outgoing.once('error', (error) => {
    const isStale = outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
    reject(isStale && !signal.aborted ? new StaleConnection() : error);
  });
  // Node frames the body of a DELETE only if told its length.
  if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.end(body);
  return promise;
};

/** The whole body as text. Rejects when the connection is cut before its end, or when it is longer than anybody should send. */
export const readText = async (answer: IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
