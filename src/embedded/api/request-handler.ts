// The way of one request through the server: authenticate, log, let faults and hooks have their say, act, answer.
// Promises: exactly one answer or a cut connection per request; a client that went away while a fault held its
// request is not acted for; an unexpected exception is answered with 500, never a crash of the process.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type DecideAccess, isAccessReviewPath, reviewAccess } from './access-review.ts';
import { type Answer, answerError, answerJson, answerText } from './answer.ts';
import { ApiError, badRequest, internalError, invalid, unauthorized } from './api-error.ts';
import type { ApiCall, CallLog } from './call-log.ts';
import { discover } from './discovery.ts';
import { ConnectionCut, type Faults } from './faults.ts';
import { parseCount, parseResourceVersion } from './list-objects.ts';
import type { MemoryObjectStore } from './memory-object-store.ts';
import { parseObjectFilter } from './object-filter.ts';
import type { PodEndpoints } from './pod-endpoints.ts';
import { mediaTypeOf, parseJson, readBody } from './read-body.ts';
import { isResourcePath, parseTarget, type ResourceTarget } from './request-target.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { act, actAdmitted, type VerbSettings } from './resource-verbs.ts';
import type { WatchHub } from './watch-hub.ts';
import { WatchStream } from './watch-stream.ts';
import type { AdmissionChain } from './webhooks/admission-chain.ts';

export interface HandlerParts {
  registry: ResourceRegistry;
  store: MemoryObjectStore;
  watches: WatchHub;
  faults: Faults;
  calls: CallLog;
  tokens: ReadonlySet<string>;
  settings: VerbSettings;
  decideAccess: DecideAccess;
  /** Absent: nobody is asked before an object is stored. */
  admission?: AdmissionChain;
  podEndpoints: PodEndpoints;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  token: string | undefined;
  signal: AbortSignal;
}

const openPaths = ['/healthz', '/livez', '/readyz', '/version'];
const version = { major: '1', minor: '34', gitVersion: 'v1.34.0+embedded', platform: 'linux/amd64' };

export const makeRequestHandler =
  (parts: HandlerParts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const exchange = { request, response, path, query: new URLSearchParams(search), token, signal: gone.signal };
    try {
      await handle(parts, exchange);
    } catch (error) {
      // The connection is gone: there is nobody to answer to.
      if (gone.signal.aborted) return;
      send(exchange, answerError(asApiError(error)));
    }
  };

async function handle(parts: HandlerParts, exchange: Exchange): Promise<void> {
  const { faults } = parts;
  const { request, path, token, signal } = exchange;
  const target = isResourcePath(path) && !isAccessReviewPath(path) ? tryParseTarget(parts, exchange) : undefined;
  const call = logCall(parts.calls, exchange, target instanceof ApiError ? undefined : target);
  try {
    if (!isOpenPath(path) && (token === undefined || !parts.tokens.has(token))) throw unauthorized();
    if (parts.podEndpoints.isServed(path)) return send(exchange, await parts.podEndpoints.answer(path));
    if (target instanceof ApiError) throw target;
    const body = await readBody(request);
    await faults.pass('received', call, signal);
    signal.throwIfAborted();
    if (target?.verb === 'watch') return await openWatch(parts, exchange, target, call);
    const answer =
      target === undefined ? answerNonResource(parts, exchange, body) : await actOn(parts, exchange, target, body);
    call.status = answer.code;
    await faults.pass('acted', call, signal);
    sendThroughFaults(parts, exchange, call, answer);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof ConnectionCut) return void exchange.response.destroy();
    const answer = answerError(asApiError(error));
    call.status = answer.code;
    send(exchange, answer);
  }
}

async function actOn(parts: HandlerParts, exchange: Exchange, target: ResourceTarget, body: string): Promise<Answer> {
  const { store, settings, admission } = parts;
  const asked = { target, query: exchange.query, mediaType: mediaTypeOf(exchange.request), body };
  if (admission === undefined || !admission.isConcerned(target)) return act(store, asked, settings);
  return await actAdmitted(store, asked, settings, (question) =>
    admission.admit({ ...question, user: admission.userOf(exchange.token ?? '') }),
  );
}

function tryParseTarget(parts: HandlerParts, { request, path, query }: Exchange): ResourceTarget | ApiError {
  try {
    return parseTarget(parts.registry, request.method ?? 'GET', path, query);
  } catch (error) {
    return asApiError(error);
  }
}

function logCall(calls: CallLog, exchange: Exchange, target: ResourceTarget | undefined): ApiCall {
  const { request, token } = exchange;
  const { 'content-type': contentType, 'user-agent': userAgent } = request.headers;
  const call: ApiCall = {
    verb: target?.verb ?? (request.method === 'POST' ? 'create' : 'get'),
    resource: target?.definition.plural ?? '',
    ...(target?.subresource === undefined ? {} : { subresource: target.subresource }),
    ...(target?.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(target?.name === undefined ? {} : { name: target.name }),
    ...(token === undefined ? {} : { token }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(userAgent === undefined ? {} : { userAgent }),
    url: request.url ?? '/',
  };
  calls.add(call);
  return call;
}

const isOpenPath = (path: string): boolean => openPaths.some((open) => path === open || path.startsWith(`${open}/`));

function answerNonResource(parts: HandlerParts, exchange: Exchange, body: string): Answer {
  const { path, request, token = '' } = exchange;
  if (path === '/version') return answerJson(JSON.stringify(version));
  if (isOpenPath(path)) return answerText('ok');
  if (isAccessReviewPath(path)) {
    return reviewAccess(path, request.method ?? 'GET', token, parseJson(body), parts.decideAccess);
  }
  return discover(parts.registry, path);
}

async function openWatch(
  parts: HandlerParts,
  exchange: Exchange,
  target: ResourceTarget,
  call: ApiCall,
): Promise<void> {
  const { query, response, signal } = exchange;
  if (query.has('sendInitialEvents')) {
    const message = 'Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    const listOptions = { group: 'meta.k8s.io', plural: '', kind: 'ListOptions' };
    throw invalid(listOptions, '', [{ reason: 'FieldValueForbidden', message, field: 'sendInitialEvents' }]);
  }
  const request = {
    call,
    definition: target.definition,
    filter: parseObjectFilter(target, query),
    resourceVersion: parseResourceVersion(query),
    allowsBookmarks: ['true', '1'].includes(query.get('allowWatchBookmarks') ?? ''),
    timeoutSeconds: parseCount(query, 'timeoutSeconds'),
  };
  call.status = 200;
  await parts.faults.pass('acted', call, signal);
  const fault = parts.faults.takeAnswerFault(call);
  if (fault?.kind === 'error') throw fault.error;
  if (fault !== undefined || signal.aborted) response.destroy();
  else parts.watches.open(request, (onClose) => new WatchStream(response, onClose));
}

function sendThroughFaults(parts: HandlerParts, exchange: Exchange, call: ApiCall, answer: Answer): void {
  const fault = parts.faults.takeAnswerFault(call);
  if (fault?.kind === 'error') throw fault.error;
  if (fault === undefined) send(exchange, answer);
  else if (fault.kind === 'cut') exchange.response.destroy();
  else sendHalf(exchange, answer);
}

function sendHalf({ response }: Exchange, answer: Answer): void {
  const whole = Buffer.from(answer.text);
  response.writeHead(answer.code, headersOf(answer, whole.length));
  response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy());
}

function send({ response }: Exchange, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(answer.code, headersOf(answer, Buffer.byteLength(answer.text)));
  response.end(answer.text);
}

const headersOf = (answer: Answer, length: number): OutgoingHttpHeaders => ({
  'content-type': answer.contentType,
  'content-length': length,
  'cache-control': 'no-cache, private',
  ...(answer.retryAfterSeconds === undefined ? {} : { 'retry-after': String(answer.retryAfterSeconds) }),
  ...(answer.warnings === undefined
    ? {}
    : { warning: answer.warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') }),
});

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof URIError) return badRequest(error.message);
  return internalError(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
