import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DelegateRequest } from '../model/delegate-request.ts';
import { DelegateError } from '../model/errors.ts';
import { DelegateClient } from './delegate-client.ts';

const request: DelegateRequest = {
  pod: { namespace: 'shop', name: 'web', uid: 'uid-1' },
  containerId: 'sandbox-1',
  netns: '/run/netns/1',
  interface: 'net1',
  config: '{"name":"blau ü","type":"bridge"}',
  attributes: { ips: ['10.0.0.5/24'], mac: '02:00:00:00:00:01' },
};

let directory: string;
let server: Server | undefined;
let client: DelegateClient;
const outcomes: string[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'delegate-'));
  outcomes.length = 0;
  client = clientWith({});
});
afterEach(async () => {
  await client.close();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(directory, { recursive: true, force: true });
});

const socketPath = () => join(directory, 'multus.sock');
const clientWith = (options: { timeoutMs?: number; maxConnections?: number }) =>
  new DelegateClient({
    socketPath: socketPath(),
    timeoutMs: 5000,
    maxConnections: 4,
    onCall: (command, outcome, durationMs) => outcomes.push(`${command} ${outcome} ${durationMs >= 0}`),
    ...options,
  });
const never = new AbortController().signal;

const listen = (handler: RequestListener): Promise<void> => {
  server = createServer(handler);
  return new Promise((resolve) => server?.listen(socketPath(), resolve));
};
const answering =
  (status: number, body: string): RequestListener =>
  async (incoming, response) => {
    await text(incoming);
    response.writeHead(status).end(body);
  };

const failureOf = async (work: Promise<unknown>): Promise<DelegateError> => {
  const error = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof DelegateError) return error;
  throw error;
};

describe('what is sent', () => {
  const seen: { method: string | undefined; url: string | undefined; type: string | undefined; body: string }[] = [];
  const record: RequestListener = async (incoming: IncomingMessage, response) => {
    const { method, url, headers } = incoming;
    seen.push({ method, url, type: headers['content-type'], body: await text(incoming) });
    response.writeHead(200).end('{}');
  };

  it.each([
    ['ADD', 'add', request, '/run/netns/1', request.attributes],
    ['DEL', 'del', { ...request, netns: '' }, '', request.attributes],
    ['CHECK', 'check', { ...request, attributes: {} }, '/run/netns/1', {}],
  ] as const)('%s is one POST with exactly this body', async (command, method, input, netns, attributes) => {
    seen.length = 0;
    await listen(record);
    await client[method](input, never);
    expect(seen).toEqual([{ method: 'POST', url: '/delegate', type: 'application/json', body: expect.any(String) }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      env: {
        CNI_COMMAND: command,
        CNI_CONTAINERID: 'sandbox-1',
        CNI_NETNS: netns,
        CNI_IFNAME: 'net1',
        CNI_ARGS: 'K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web;K8S_POD_UID=uid-1',
      },
      config: Buffer.from(request.config).toString('base64'),
      interfaceAttributes: attributes,
    });
    expect(outcomes).toEqual([`${command} ok true`]);
  });
});

describe('answers', () => {
  it('ADD gives the CNI result', async () => {
    const result = {
      interfaces: [{ name: 'net1', sandbox: '/run/netns/1' }],
      ips: [{ address: '10.0.0.5/24', interface: 0 }],
    };
    await listen(answering(200, JSON.stringify({ Result: result })));
    expect(await client.add(request, never)).toEqual({ ...result, routes: [], dns: {} });
  });

  it.each([
    [
      'with the complaint alone, the request before it cut off',
      'ContainerID:"x" Args:"y" ERRORED: no such network\n',
      'no such network',
    ],
    ['as it is when it has another form', 'out of cheese\n', 'out of cheese'],
    ['cut when it is long', 'x'.repeat(5000), 'x'.repeat(1024)],
  ])('an error is told of %s', async (_, body, message) => {
    await listen(answering(400, body));
    const error = await failureOf(client.del(request, never));
    expect([error.kind, error.fate, error.message]).toEqual(['delegateFailed', 'answered', `DEL failed: ${message}`]);
    expect(outcomes).toEqual(['DEL failed true']);
  });

  it.each([
    ['text', '<html>'],
    ['a list', '[]'],
    ['a result of another shape', '{"Result":{"interfaces":"net1"}}'],
    ['a result with an address that is a number', '{"Result":{"ips":[{"address":5}]}}'],
  ])('ADD answered with %s is over, and a failure', async (_, body) => {
    await listen(answering(200, body));
    const error = await failureOf(client.add(request, never));
    expect([error.kind, error.fate, error.cause]).toEqual(['delegateFailed', 'answered', expect.any(Error)]);
    expect(error.message).toContain(`is no CNI result: ${body}`);
  });

  it('garbage after DEL does not matter: it was done', async () => {
    await listen(answering(200, '<html>'));
    await expect(client.del(request, never)).resolves.toBeUndefined();
  });

  it('an answer of more than 4 MiB is not read to its end', async () => {
    await listen(answering(200, `{"Result":{"x":"${'y'.repeat(5 * 1024 * 1024)}"}}`));
    const error = await failureOf(client.add(request, never));
    expect([error.kind, error.fate]).toEqual(['delegateUnreachable', 'lost']);
  });
});

describe('a daemon that cannot be reached: nothing was sent', () => {
  it('there is no socket', async () => {
    const error = await failureOf(client.add(request, never));
    expect([error.kind, error.fate]).toEqual(['delegateUnreachable', 'neverSent']);
    expect(error.message).toContain(`ADD: Multus at ${socketPath()}: `);
    expect(error.message).toContain('check the Multus daemon on this node');
    expect(outcomes).toEqual(['ADD unreachable true']);
  });

  it('nobody listens at the socket', async () => {
    await listen(answering(200, '{}'));
    const kept = `${socketPath()}.kept`;
    renameSync(socketPath(), kept);
    await new Promise((resolve) => server?.close(resolve));
    renameSync(kept, socketPath());
    const error = await failureOf(client.add(request, never));
    expect([error.fate, Object(error.cause).code]).toEqual(['neverSent', 'ECONNREFUSED']);
  });

  it('it is reached as soon as it is there', async () => {
    await failureOf(client.del(request, never));
    await listen(answering(200, ''));
    await expect(client.del(request, never)).resolves.toBeUndefined();
  });
});

describe('an answer that is lost: the plugin may still be at work', () => {
  it.each<[string, RequestListener]>([
    ['the connection is cut before an answer', (incoming) => void incoming.socket.destroy()],
    [
      'the connection is cut in the middle of the answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"Result":', () => response.destroy());
      },
    ],
  ])('%s', async (_, handler) => {
    await listen(handler);
    const error = await failureOf(client.add(request, never));
    expect([error.kind, error.fate, error.cause]).toEqual(['delegateUnreachable', 'lost', expect.any(Error)]);
  });

  it('no answer comes in time', async () => {
    await listen(() => undefined);
    const impatient = clientWith({ timeoutMs: 50 });
    const error = await failureOf(impatient.add(request, never));
    expect([error.fate, error.message]).toEqual(['lost', expect.stringContaining('no answer within 50 ms')]);
    await impatient.close();
  });

  it('the agent is told to stop meanwhile', async () => {
    const stop = new AbortController();
    await listen(() => stop.abort(new Error('shutting down')));
    const error = await failureOf(client.add(request, stop.signal));
    expect([error.fate, error.message]).toEqual(['lost', expect.stringContaining('shutting down')]);
  });
});

describe('many calls at once', () => {
  it('take no more connections than allowed, and all are answered', async () => {
    let connections = 0;
    let arrived = 0;
    const firstFour = Promise.withResolvers<void>();
    await listen(async (incoming, response) => {
      arrived += 1;
      if (arrived === 4) firstFour.resolve();
      await Promise.all([text(incoming), firstFour.promise]); // no connection is free before four are taken
      response.writeHead(200).end('');
    });
    server?.on('connection', () => {
      connections += 1;
    });
    await Promise.all(Array.from({ length: 40 }, () => client.del(request, never)));
    expect([connections, outcomes.length]).toEqual([4, 40]);
  });
});

describe('probe', () => {
  it.each([
    [200, undefined],
    [503, /answered 503 on \/healthz/],
  ])('a daemon that answers %i on its health endpoint', async (status, problem) => {
    await listen((incoming, response) => void response.writeHead(incoming.url === '/healthz' ? status : 500).end());
    const probing = client.probe(never);
    if (problem === undefined) await expect(probing).resolves.toBeUndefined();
    else await expect(probing).rejects.toThrow(problem);
  });

  it('a daemon that is not there', async () => {
    await expect(client.probe(never)).rejects.toThrow(/ENOENT/);
  });
});
