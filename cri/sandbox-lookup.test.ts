// The lookup over the real gRPC client, against the embedded runtime on a unix socket.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CriRuntime } from '../src/embedded/node/cri-runtime.ts';
import type { NewSandbox, Sandbox } from '../src/embedded/node/sandbox-table.ts';
import { RuntimeClient } from './runtime-client.ts';
import { SandboxLookup } from './sandbox-lookup.ts';

let directory: string;
let runtime: CriRuntime;
let client: RuntimeClient;
let lookup: SandboxLookup;
const outcomes: string[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cri-'));
  const socketPath = join(directory, 'cri.sock');
  runtime = new CriRuntime({ socketPath });
  await runtime.up();
  outcomes.length = 0;
  client = new RuntimeClient({ socketPath, timeoutMs: 3000, onCall: (...call) => outcomes.push(call.join(' ')) });
  lookup = new SandboxLookup({ runtime: client });
});
afterEach(async () => {
  client.close();
  await runtime.stop();
  rmSync(directory, { recursive: true });
});

const signal = AbortSignal.timeout(600_000);
const add = (podUid: string, fields: Partial<NewSandbox> = {}): Sandbox =>
  runtime.sandboxes.add({ podUid, podNamespace: 'shop', podName: podUid, netns: `/run/netns/${podUid}`, ...fields });
const find = (uid: string, mark = '1') => lookup.find({ uid, mark }, signal);
const counts = () => [runtime.count('ListPodSandbox'), runtime.count('PodSandboxStatus')];

describe('which sandbox', () => {
  it('is the only one', async () => {
    const { id } = add('a');
    add('b');
    expect(await find('a')).toEqual({ id, netns: '/run/netns/a' });
  });

  it('is the newest ready one of several, whatever order the runtime lists them in', async () => {
    add('a', { createdAt: 5n, netns: '/old' });
    const newest = add('a', { createdAt: 9n, netns: '/newest' });
    add('a', { createdAt: 7n, netns: '/middle' });
    add('a', { createdAt: 11n, netns: '/ended', isReady: false });
    expect(await find('a')).toEqual({ id: newest.id, netns: '/newest' });
  });

  it.each<[string, () => void]>([
    ['the pod has none', () => undefined],
    ['the only one is not ready', () => add('a', { isReady: false })],
    ['only others have one', () => add('b')],
  ])('is none when %s', async (_, prepare) => {
    prepare();
    expect(await find('a')).toBeUndefined();
    await expect(lookup.get({ uid: 'a', mark: '1' }, signal)).rejects.toMatchObject({
      kind: 'sandboxNotReady',
      message: expect.stringContaining('pod uid a'),
    });
  });

  it('is found once it is there', async () => {
    await find('a');
    const { id } = add('a');
    expect((await lookup.get({ uid: 'a', mark: '1' }, signal)).id).toBe(id);
  });
});

describe('what it costs', () => {
  it('a burst of cold pods: one list, then a status each', async () => {
    for (let i = 0; i < 50; i += 1) add(`pod-${i}`);
    const found = await Promise.all(Array.from({ length: 50 }, (_, i) => find(`pod-${i}`)));
    expect(found.map((sandbox) => sandbox?.netns)).toEqual(found.map((_, i) => `/run/netns/pod-${i}`));
    expect(counts()).toEqual([1, 50]);
  });

  it('a pod that was in the last list: a status', async () => {
    add('a');
    add('b');
    await find('a');
    await find('b');
    expect(counts()).toEqual([1, 2]);
  });

  it('a pod that is known: nothing', async () => {
    add('a');
    await find('a');
    runtime.forgetCalls();
    await Promise.all([find('a'), find('a'), find('a')]);
    expect(runtime.count()).toBe(0);
  });

  it('a pod whose mark changed: a fresh list, and the new sandbox', async () => {
    const old = add('a', { netns: '/old' });
    await find('a');
    old.isReady = false;
    const { id } = add('a', { netns: '/new' });
    expect(await find('a', '2')).toEqual({ id, netns: '/new' });
    expect(counts()).toEqual([2, 2]);
  });

  it('a pod whose mark changed although its sandbox did not: known again under the new mark', async () => {
    const { id } = add('a');
    await find('a');
    expect((await find('a', '2'))?.id).toBe(id);
    runtime.forgetCalls();
    await find('a', '2');
    expect(runtime.count()).toBe(0);
  });

  it('a pod that was forgotten: as if it were new', async () => {
    add('a');
    await find('a');
    lookup.forget('a');
    runtime.forgetCalls();
    await find('a');
    expect(counts()).toEqual([1, 1]);
  });

  it('a pod whose listed sandbox ended meanwhile: a fresh list', async () => {
    add('a');
    const old = add('b', { netns: '/old' });
    await find('a');
    old.isReady = false;
    const { id } = add('b', { netns: '/new' });
    expect((await find('b'))?.id).toBe(id);
    expect(counts()).toEqual([2, 3]);
  });

  it('more pods than are remembered: the oldest is looked up again, the others are not', async () => {
    lookup = new SandboxLookup({ runtime: client, maxPods: 2 });
    for (const uid of ['a', 'b', 'c']) add(uid);
    for (const uid of ['a', 'b', 'c']) await find(uid);
    runtime.forgetCalls();
    await find('c');
    await find('b');
    expect(runtime.count()).toBe(0);
    await find('a');
    expect(counts()).toEqual([0, 1]);
  });
});

describe('a network namespace that somebody else remembers', () => {
  let remembered: Map<string, string>;
  let nowMs: number;
  beforeEach(() => {
    remembered = new Map();
    nowMs = 1000;
    lookup = new SandboxLookup({ runtime: client, findNetns: (id) => remembered.get(id), now: () => nowMs });
  });
  const addRemembered = (podUid: string): Sandbox => {
    const sandbox = add(podUid);
    remembered.set(sandbox.id, `/remembered/${podUid}`);
    return sandbox;
  };

  it('spares a burst of cold pods all but the list', async () => {
    for (let i = 0; i < 50; i += 1) addRemembered(`pod-${i}`);
    const found = await Promise.all(Array.from({ length: 50 }, (_, i) => find(`pod-${i}`)));
    expect(found.map((sandbox) => sandbox?.netns)).toEqual(found.map((_, i) => `/remembered/pod-${i}`));
    expect(counts()).toEqual([1, 0]);
  });

  it('is asked for where nobody does', async () => {
    addRemembered('a');
    add('b');
    expect([await find('a'), await find('b')].map((sandbox) => sandbox?.netns)).toEqual([
      '/remembered/a',
      '/run/netns/b',
    ]);
    expect(counts()).toEqual([1, 1]);
  });

  it.each([
    ['is taken while the list is young', 4999, [1, 0]],
    ['is asked for when the list is old: the sandbox may have ended', 5000, [1, 1]],
  ])('%s', async (_, laterMs, expected) => {
    addRemembered('a');
    addRemembered('b');
    await find('a');
    nowMs += laterMs;
    await find('b');
    expect(counts()).toEqual(expected);
  });

  it('is that of the new sandbox when the listed one was taken down', async () => {
    addRemembered('a');
    const old = addRemembered('b');
    await find('a');
    old.isReady = false;
    remembered.delete(old.id);
    const { id } = addRemembered('b');
    expect(await find('b')).toEqual({ id, netns: '/remembered/b' });
    expect(counts()).toEqual([2, 1]);
  });

  it('is not relied upon once the pod was forgotten, until the runtime has told of it', async () => {
    addRemembered('a');
    expect((await find('a'))?.netns).toBe('/remembered/a');
    lookup.forget('a');
    expect((await find('a'))?.netns).toBe('/run/netns/a');
    expect((await find('a', '2'))?.netns).toBe('/remembered/a');
    expect(counts()).toEqual([3, 1]);
  });
});

describe('a runtime that is not well', () => {
  const failure = { kind: 'runtimeUnreachable', message: expect.stringContaining(`the container runtime`) };

  it('is down, and is found again when it is back', async () => {
    add('a');
    await runtime.down();
    await expect(find('a')).rejects.toMatchObject({
      kind: 'runtimeUnreachable',
      message: expect.stringContaining(`ListPodSandbox: the container runtime at ${directory}/cri.sock: `),
      cause: expect.any(Error),
    });
    await runtime.up();
    await vi.waitFor(async () => expect((await find('a'))?.netns).toBe('/run/netns/a'), {
      timeout: 8000,
      interval: 50,
    });
  });

  it('fails a list: only that list', async () => {
    add('a');
    runtime.inject({ kind: 'error', code: 13, message: 'boom' }, { method: 'ListPodSandbox', times: 1 });
    await expect(find('a')).rejects.toMatchObject({ ...failure, message: expect.stringContaining('boom') });
    expect((await find('a'))?.netns).toBe('/run/netns/a');
    expect(outcomes).toEqual(['ListPodSandbox error', 'ListPodSandbox ok', 'PodSandboxStatus ok']);
  });

  it('fails the list of one, which the others of the burst do not inherit', async () => {
    for (const uid of ['a', 'b', 'c']) add(uid);
    runtime.inject({ kind: 'error' }, { method: 'ListPodSandbox', times: 1 });
    const results = await Promise.allSettled([find('a'), find('b'), find('c')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('answers too late', async () => {
    const impatient = new RuntimeClient({ socketPath: join(directory, 'cri.sock'), timeoutMs: 50 });
    runtime.inject({ kind: 'hang' });
    await expect(new SandboxLookup({ runtime: impatient }).find({ uid: 'a', mark: '1' }, signal)).rejects.toMatchObject(
      failure,
    );
    impatient.close();
  });

  it('is asked no longer when the caller gives up', async () => {
    const hang = runtime.inject({ kind: 'hang' });
    const giveUp = new AbortController();
    const looking = lookup.find({ uid: 'a', mark: '1' }, giveUp.signal);
    const rejected = expect(looking).rejects.toMatchObject(failure);
    await hang.reached;
    giveUp.abort();
    await rejected;
    await expect(lookup.find({ uid: 'a', mark: '1' }, giveUp.signal)).rejects.toMatchObject({
      ...failure,
      cause: expect.objectContaining({ code: status.CANCELLED }),
    });
  });

  it.each([
    ['text', 'garbage'],
    ['JSON of another shape', '{"runtimeSpec":{}}'],
    ['no network namespace', '{"runtimeSpec":{"linux":{"namespaces":[{"type":"pid"}]}}}'],
    ['a network namespace without a path', '{"runtimeSpec":{"linux":{"namespaces":[{"type":"network"}]}}}'],
  ])('tells %s of the sandbox: that cannot be worked with, and is not remembered', async (_, text) => {
    const { id } = add('a');
    const garbage = runtime.inject({ kind: 'garbageInfo', text });
    await expect(find('a')).rejects.toMatchObject({ ...failure, message: expect.stringContaining(id) });
    garbage.release();
    expect((await find('a'))?.id).toBe(id);
  });
});

describe('isReady', () => {
  it.each<[string, () => string, boolean]>([
    ['a sandbox that runs', () => add('a').id, true],
    ['a sandbox that ended', () => add('a', { isReady: false }).id, false],
    ['a sandbox that is gone', () => 'never-was', false],
  ])('%s', async (_, prepare, expected) => {
    expect(await lookup.isReady(prepare(), signal)).toBe(expected);
  });

  it('is not known while the runtime is down: nobody may take it for gone', async () => {
    await runtime.down();
    await expect(lookup.isReady('x', signal)).rejects.toMatchObject({ kind: 'runtimeUnreachable' });
  });
});

describe('heldDevices', () => {
  it('are those of all containers of the sandbox, and of no other', async () => {
    const mine = add('a');
    const other = add('b');
    const env = (key: string, value: string) => [{ key, value }];
    runtime.sandboxes.addContainer(mine.id, 'one', env('PCIDEVICE_INTEL_COM_VF', '0000:01:00.1,0000:01:00.2'));
    runtime.sandboxes.addContainer(mine.id, 'two', env('PCIDEVICE_MLX_COM_VF', '0000:02:00.1'));
    runtime.sandboxes.addContainer(mine.id, 'none', env('PATH', '/bin'));
    runtime.sandboxes.addContainer(other.id, 'foreign', env('PCIDEVICE_INTEL_COM_VF', '0000:09:00.1'));
    const held = await lookup.heldDevices({ id: mine.id, netns: mine.netns }, signal);
    expect([...held].sort()).toEqual(['0000:01:00.1', '0000:01:00.2', '0000:02:00.1']);
  });

  it('are none when the runtime tells nothing of the containers', async () => {
    const { id, netns } = add('a');
    runtime.sandboxes.addContainer(id, 'one');
    runtime.inject({ kind: 'garbageInfo', text: '{' });
    expect([...(await lookup.heldDevices({ id, netns }, signal))]).toEqual([]);
  });
});
