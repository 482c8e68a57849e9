// How often the reflector asks when asking fails: on a fake clock, with a client whose answers the test decides.
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiRequest } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

interface View {
  readonly resourceVersion: string;
  readonly name: string;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(async () => {
  const stopping = reflector.stop();
  await vi.advanceTimersByTimeAsync(0);
  await stopping;
  vi.useRealTimers();
});

let reflector: Reflector<View>;
const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
const list = (version: string) => ({ metadata: { resourceVersion: version }, items: [] });

/** Starts a reflector; returns when it asked for what, as `list 200` for a list 200 ms after the start. */
const startWith = (
  answers: { list: () => unknown; watch: () => Readable | Promise<Readable> },
  options: Partial<ReflectorOptions<View>> = {},
) => {
  const started = Date.now();
  const asked: string[] = [];
  const pauses: number[] = [];
  const seen: string[] = [];
  const at = (what: string) => asked.push(`${what} ${Date.now() - started}`);
  reflector = new Reflector<View>({
    client: {
      json: async () => {
        at('list');
        return answers.list();
      },
      stream: async (request: ApiRequest) => {
        at(`watch from ${request.query?.['resourceVersion']}`);
        return answers.watch();
      },
    },
    path: '/things',
    view: (object) => Object(object).metadata,
    keyOf: ({ name }) => name,
    onChange: (key) => seen.push(key),
    onError: (_, nextTryMs) => pauses.push(nextTryMs),
    random: () => 1,
    sleep,
    ...options,
  });
  reflector.start();
  return { asked, pauses, seen };
};

const fail = (): never => {
  throw new ApiError(500, 'InternalError', 'no');
};
const event = (type: string, metadata: object) => `${JSON.stringify({ type, object: { metadata } })}\n`;

/** When something fails again and again, within a minute. */
const TEN_SECONDS_IN_THE_END = [0, 200, 600, 1400, 3000, 6200, 12_600, 22_600, 32_600, 42_600, 52_600].map(String);

const gone = event('ERROR', {}).replace('"object":{', '"object":{"code":410,"reason":"Expired",');

describe('repeated failures', () => {
  it('of the list are spaced ever wider, up to ten seconds', async () => {
    const { asked } = startWith({ list: fail, watch: fail });
    await vi.advanceTimersByTimeAsync(85_000);
    expect(asked).toEqual([...TEN_SECONDS_IN_THE_END, '62600', '72600', '82600'].map((time) => `list ${time}`));
  });

  it('of the watch never lead to a list: the list was read and is still good', async () => {
    const { asked } = startWith({ list: () => list('7'), watch: fail });
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked.filter((what) => what.startsWith('list'))).toEqual(['list 0']);
    expect(asked.length).toBe(1 + 17); // the list, and watches that end up ten seconds apart
    expect(asked[3]).toBe('watch from 7 600');
  });

  it('are jittered by what chance says', async () => {
    const { asked } = startWith({ list: fail, watch: fail }, { random: () => 0 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toEqual(['list 0', 'list 100', 'list 300', 'list 700']);
  });

  it('of the kind 410 make it read the list again: at once the first time, then no faster than other failures', async () => {
    const { asked } = startWith({ list: () => list('7'), watch: () => Readable.from([gone]) });
    await vi.advanceTimersByTimeAsync(60_000);
    const times = [0, 200, 400, 800, 1600, 3200, 6400, 12_800, 22_800, 32_800, 42_800, 52_800];
    expect(asked.filter((what) => what.startsWith('list'))).toEqual(times.map((time) => `list ${time}`));
    expect(asked.slice(0, 5)).toEqual(['list 0', 'watch from 7 0', 'list 200', 'watch from 7 200', 'list 400']);
  });

  it('do not delay the list when a server that was away for long answers 410', async () => {
    let isBack = false;
    const { asked } = startWith({ list: () => list('7'), watch: () => (isBack ? Readable.from([gone]) : fail()) });
    await vi.advanceTimersByTimeAsync(30_000);
    isBack = true;
    await vi.advanceTimersByTimeAsync(2900);
    expect(asked.slice(-3)).toEqual(['watch from 7 32600', 'list 32800', 'watch from 7 32800']);
  });

  it('regression: the pause that is told of is the pause that is made', async () => {
    const chances = [0.1, 0.9, 0.3, 0.7, 0.2, 0.6];
    const { asked, pauses } = startWith({ list: fail, watch: fail }, { random: () => chances.shift() ?? 0 });
    await vi.advanceTimersByTimeAsync(700);
    const times = asked.map((what) => Number(what.split(' ')[1]));
    expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual(pauses.slice(0, times.length - 1));
    expect(times.length).toBeGreaterThan(2);
  });
});

describe('a watch that ends in good order', () => {
  it('is opened again soon when it brought something', async () => {
    const bookmark = event('BOOKMARK', { resourceVersion: '9' });
    const { asked, pauses } = startWith({ list: () => list('7'), watch: () => Readable.from([bookmark]) });
    await vi.advanceTimersByTimeAsync(450);
    expect(asked).toEqual(['list 0', 'watch from 7 0', 'watch from 9 200', 'watch from 9 400']);
    expect(pauses).toEqual([]);
  });

  it('is opened ever later when it brings nothing', async () => {
    const { asked } = startWith({ list: () => list('7'), watch: () => Readable.from([]) });
    await vi.advanceTimersByTimeAsync(1500);
    expect(asked).toEqual(['list 0', 'watch from 7 0', 'watch from 7 200', 'watch from 7 600', 'watch from 7 1400']);
  });
});

describe('garbage', () => {
  it.each([
    ['a line that is no JSON', '<html>\n'],
    ['JSON that is no event', '5\n'],
    ['an event without an object', '{"type":"ADDED"}\n'],
    ['an object without a version', event('ADDED', { name: 'x' })],
  ])('%s ends the watch, which resumes after the last good event', async (_, line) => {
    const good = event('ADDED', { name: 'a', resourceVersion: '8' });
    const answers = [
      Readable.from([`${good}${line}`]),
      Readable.from([event('ADDED', { name: 'b', resourceVersion: '9' })]),
    ];
    const { asked, seen, pauses } = startWith({ list: () => list('7'), watch: () => answers.shift() ?? fail() });
    await vi.advanceTimersByTimeAsync(250);
    expect(asked).toEqual(['list 0', 'watch from 7 0', 'watch from 8 200']);
    expect([seen, pauses]).toEqual([['a', 'b'], [200]]);
  });

  it.each([
    ['a text', 'hello'],
    ['a list without metadata', { items: [] }],
    ['a list without a version', { metadata: {}, items: [] }],
  ])('%s in place of a list is a failure, and the list is asked for again', async (_, answer) => {
    const answers = [answer, list('7')];
    const { asked } = startWith({ list: () => answers.shift(), watch: fail });
    await vi.advanceTimersByTimeAsync(250);
    expect(asked).toEqual(['list 0', 'list 200', 'watch from 7 200']);
  });

  it('the rest of a line that was cut off is not an event', async () => {
    const cut = event('ADDED', { name: 'a', resourceVersion: '8' }).trimEnd();
    const { seen } = startWith({ list: () => list('7'), watch: () => Readable.from([cut]) });
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual([]);
  });
});
