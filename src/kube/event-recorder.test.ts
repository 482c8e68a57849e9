import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiRequest } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { EventRecorder, type EventSubject } from './event-recorder.ts';

interface Sent extends Omit<ApiRequest, 'body'> {
  readonly body: { readonly [key: string]: unknown };
}

let sent: Sent[];
let dropped: string[];
let fail: ((request: Sent) => void) | undefined;
let idle: PromiseWithResolvers<void>;
let recorder: EventRecorder;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2024-01-01T00:00:00.500Z') });
  sent = [];
  dropped = [];
  fail = undefined;
  idle = Promise.withResolvers();
  idle.resolve();
  recorder = new EventRecorder({
    client: {
      json: async (request) => {
        const whole = request as Sent;
        fail?.(whole);
        sent.push(whole);
        return {};
      },
    },
    component: 'dynamic-networks',
    instance: 'node-a',
    onIdle: () => idle.promise,
    onDropped: (reason) => dropped.push(reason),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const web: EventSubject = { kind: 'Pod', namespace: 'shop', name: 'web', uid: 'uid-1', resourceVersion: '7' };
const added = { type: 'Normal', reason: 'AddedInterface', message: 'net1 on shop/blue' } as const;
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('an event', () => {
  it('is sent with everything that kubectl shows', async () => {
    recorder.record(web, added);
    await settle();
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/events',
        body: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: 'shop' },
          involvedObject: { apiVersion: 'v1', ...web },
          ...added,
          count: 1,
          firstTimestamp: '2024-01-01T00:00:00Z',
          lastTimestamp: '2024-01-01T00:00:00Z',
          source: { component: 'dynamic-networks', host: 'node-a' },
          reportingComponent: 'dynamic-networks',
          reportingInstance: 'node-a',
        },
      },
    ]);
  });

  it('about a node goes to the default namespace', async () => {
    recorder.record({ kind: 'Node', name: 'node-a', uid: 'node-a' }, added);
    await settle();
    expect(sent[0]?.path).toBe('/api/v1/namespaces/default/events');
  });

  it.each([
    [
      'a long message is cut at 1024 characters',
      web,
      { ...added, message: 'x'.repeat(5000) },
      1024,
      'web.'.length + 16,
    ],
    [
      'a long name still leaves room for the suffix',
      { ...web, name: 'p'.repeat(253) },
      added,
      added.message.length,
      247,
    ],
  ])('%s', async (_, subject, event, messageLength, nameLength) => {
    recorder.record(subject, event);
    await settle();
    const { message, metadata } = sent[0]?.body ?? {};
    expect([String(message).length, String(Object(metadata)['name']).length]).toEqual([messageLength, nameLength]);
  });
});

describe('an event while there is work', () => {
  beforeEach(() => {
    idle = Promise.withResolvers();
  });
  const times = () => sent.map(({ body }) => body['firstTimestamp']);

  it('waits for its end, and tells when it happened', async () => {
    recorder.record(web, added);
    await vi.advanceTimersByTimeAsync(1000);
    recorder.record({ ...web, uid: 'uid-2' }, added);
    expect(sent).toEqual([]);
    idle.resolve();
    await settle();
    expect([times(), vi.getTimerCount()]).toEqual([['2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z'], 0]);
  });

  it('waits five seconds at most, whatever else is recorded meanwhile', async () => {
    recorder.record(web, added);
    await vi.advanceTimersByTimeAsync(4900);
    recorder.record({ ...web, uid: 'uid-2' }, added);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toHaveLength(2);
  });

  it('is sent by a flush', async () => {
    recorder.record(web, added);
    await recorder.flush(1000);
    expect(sent).toHaveLength(1);
  });
});

describe('the same event again', () => {
  it('is counted on the one that exists, at most every ten seconds', async () => {
    for (let i = 0; i < 5; i += 1) recorder.record(web, added);
    await settle();
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(9000);
    recorder.record(web, added);
    await vi.advanceTimersByTimeAsync(1000);
    const created = Object(sent[0]?.body['metadata'])['name'];
    expect(sent.slice(1)).toEqual([
      {
        method: 'PATCH',
        path: `/api/v1/namespaces/shop/events/${created}`,
        contentType: 'application/merge-patch+json',
        body: { count: 6, lastTimestamp: '2024-01-01T00:00:10Z' },
      },
    ]);
    recorder.record(web, added);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent.map(({ body }) => body['count'])).toEqual([5, 6, 7]);
  });

  it.each([
    ['another message', web, { ...added, message: 'net2 on shop/blue' }],
    ['another reason', web, { ...added, reason: 'ReplacedInterface' }],
    ['another pod', { ...web, uid: 'uid-2' }, added],
  ])('but with %s is an event of its own', async (_, subject, event) => {
    recorder.record(web, added);
    recorder.record(subject, event);
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('is created anew when the first could not be sent', async () => {
    fail = () => {
      throw new Error('down');
    };
    recorder.record(web, added);
    await settle();
    fail = undefined;
    recorder.record(web, added);
    await settle();
    expect([dropped, sent.map(({ method }) => method)]).toEqual([['error'], ['POST']]);
  });

  it('that has expired on the server is no error', async () => {
    recorder.record(web, added);
    await settle();
    fail = () => {
      throw new ApiError(404, 'NotFound', 'gone');
    };
    recorder.record(web, added);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(dropped).toEqual([]);
  });
});

describe('one object cannot flood the API', () => {
  const burst = (subject: EventSubject, count: number, from = 0) => {
    for (let i = from; i < from + count; i += 1) recorder.record(subject, { ...added, message: `edit ${i}` });
  };

  it('beyond 25 events at once, and one more every 30 seconds, they are dropped', async () => {
    burst(web, 40);
    await settle();
    expect([sent.length, dropped.length]).toEqual([25, 15]);
    await vi.advanceTimersByTimeAsync(29_000);
    burst(web, 1, 100);
    await settle();
    expect(sent).toHaveLength(25);
    await vi.advanceTimersByTimeAsync(61_000);
    burst(web, 10, 200);
    await settle();
    expect([sent.length, new Set(dropped)]).toEqual([28, new Set(['rate'])]);
  });

  it('others are not held back', async () => {
    burst(web, 40);
    burst({ ...web, uid: 'uid-2' }, 5);
    await settle();
    expect(sent).toHaveLength(30);
  });
});

describe('an API server that is not well', () => {
  it('never fails or delays the caller', async () => {
    fail = () => {
      throw new Error('down');
    };
    expect(() => recorder.record(web, added)).not.toThrow();
    recorder.record(web, added);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(dropped).toEqual(['error']);
  });
});

describe('flush', () => {
  it('waits until everything is sent', async () => {
    for (let i = 0; i < 20; i += 1) recorder.record(web, { ...added, message: `edit ${i}` });
    await recorder.flush(1000);
    expect(sent).toHaveLength(20);
  });

  it('gives up at its deadline', async () => {
    const stuck = new EventRecorder({
      client: { json: () => new Promise(() => undefined) },
      component: 'x',
      instance: 'x',
    });
    stuck.record(web, added);
    let isOver = false;
    void stuck.flush(500).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(499);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });
});
