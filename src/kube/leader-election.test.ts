// Replicas that compete for one lease, on the embedded API server. Each has a clock of its own, which a test can move on:
// that is what a process sees that was paused.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { ApiClient } from './api-client.ts';
import { LeaderElection } from './leader-election.ts';
import { kubeConfigOf } from './test-watch.ts';

let server: EmbeddedApiServer;
let replicas: Replica[];

beforeEach(async () => {
  server = await startApiServer();
  replicas = [];
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.end()));
  await server.stop();
});

class Replica {
  readonly told: string[] = [];
  readonly client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000 });
  readonly election: LeaderElection;
  /** How far this replica's clock is ahead of the others'. */
  aheadMs = 0;

  constructor(identity: string) {
    this.election = new LeaderElection({
      client: this.client,
      namespace: 'dynamic-networks',
      name: 'controller',
      identity,
      leaseMs: 1000,
      renewDeadlineMs: 600,
      retryMs: 10,
      onStarted: () => this.told.push('started'),
      onLost: (reason) => this.told.push(`lost: ${reason}`),
      now: () => performance.now() + this.aheadMs,
    });
    replicas.push(this);
  }

  start(): this {
    this.election.start();
    return this;
  }

  async leads(): Promise<void> {
    await vi.waitFor(() => expect(this.told).toContain('started'), { timeout: 5000, interval: 2 });
  }

  async end(): Promise<void> {
    await this.election.stop();
    this.client.close();
  }
}

const lease = () => server.objects.find({ resource: 'leases', namespace: 'dynamic-networks', name: 'controller' });
const holder = () => lease()?.spec?.['holderIdentity'];
const looksOf = (count: number) =>
  vi.waitFor(() => expect(server.calls.matching({ verb: 'get', resource: 'leases' }).length).toBeGreaterThan(count), {
    timeout: 5000,
    interval: 2,
  });

describe('replicas', () => {
  it('alone, one leads and says so in the lease', async () => {
    const a = new Replica('a').start();
    await a.leads();
    expect([a.election.isLeading, a.election.holder, holder()]).toEqual([true, 'a', 'a']);
    expect(lease()?.spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 0 });
  });

  it('two at once: exactly one leads', async () => {
    const [a, b] = [new Replica('a').start(), new Replica('b').start()];
    await vi.waitFor(() => expect([...a.told, ...b.told]).toContain('started'), { timeout: 5000, interval: 2 });
    await looksOf(20);
    expect([a.election.isLeading, b.election.isLeading].filter(Boolean)).toHaveLength(1);
    expect([a.election.holder, b.election.holder]).toEqual([holder(), holder()]);
  });

  it('a leader that ends gives the lease back, and the next one takes it without waiting for it to run out', async () => {
    const a = new Replica('a').start();
    await a.leads();
    const b = new Replica('b').start();
    await looksOf(3);
    expect(b.election.isLeading).toBe(false);
    await a.election.stop();
    expect(['', 'b']).toContain(holder());
    await b.leads();
    expect([a.election.isLeading, a.told, lease()?.spec?.['leaseTransitions']]).toEqual([false, ['started'], 1]);
  });

  it('a leader that ends while its renewal is under way gives the lease back, too', async () => {
    const a = new Replica('a').start();
    await a.leads();
    const renewal = server.faults.hang({ verb: 'update', resource: 'leases', phase: 'acted', count: 1 });
    await renewal.held;
    await a.election.stop();
    expect(holder()).toBe('');
  });

  it('a leader that vanished is followed when its lease has run out, and not before', async () => {
    server.objects.create('leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'dynamic-networks', name: 'controller' },
      spec: { holderIdentity: 'ghost', leaseDurationSeconds: 3600, renewTime: '2020-01-01T00:00:00.000000Z' },
    });
    const b = new Replica('b').start();
    await looksOf(5);
    expect([b.election.isLeading, b.election.holder]).toEqual([false, 'ghost']); // however old its renewal looks
    b.aheadMs += 3_600_000;
    await b.leads();
    expect(holder()).toBe('b');
  });
});

describe('a leader', () => {
  it('that was paused does not lead when it wakes, before it has asked anybody', async () => {
    const a = new Replica('a').start();
    await a.leads();
    server.faults.hang({ resource: 'leases' });
    a.aheadMs += 600;
    expect(a.election.isLeading).toBe(false);
  });

  it('that was paused while another took over is told, once, and never leads again', async () => {
    const a = new Replica('a').start();
    await a.leads();
    a.aheadMs += 5000;
    const b = new Replica('b');
    server.objects.modify({ resource: 'leases', namespace: 'dynamic-networks', name: 'controller' }, (draft) => {
      draft.spec = { ...draft.spec, holderIdentity: 'b', renewTime: '2026-01-01T00:00:00.000000Z' };
    });
    await vi.waitFor(() => expect(a.told).toEqual(['started', 'lost: the lease is held by b']), { timeout: 5000 });
    expect([a.election.isLeading, b.told]).toEqual([false, []]);
  });

  it('that cannot reach the server loses the leadership, for a reason', async () => {
    const a = new Replica('a').start();
    await a.leads();
    await server.down();
    await vi.waitFor(() => expect(a.told).toHaveLength(2), { timeout: 5000 });
    expect(a.told[1]).toBe('lost: the lease could not be renewed for 600 ms');
    await server.up();
  });

  it('goes on after a single failure and after a conflict', async () => {
    const a = new Replica('a').start();
    await a.leads();
    server.faults.fail(500, { verb: 'update', resource: 'leases', count: 1 });
    server.objects.modify({ resource: 'leases', namespace: 'dynamic-networks', name: 'controller' }, (draft) => {
      draft.metadata.labels = { touched: 'by-hand' };
    });
    const before = server.calls.matching({ verb: 'update', resource: 'leases' }).length;
    await vi.waitFor(
      () => expect(server.calls.matching({ verb: 'update', resource: 'leases' }).length).toBeGreaterThan(before + 5),
      { timeout: 5000 },
    );
    expect([a.election.isLeading, a.told]).toEqual([true, ['started']]);
  });

  it('whose lease was deleted makes it again', async () => {
    const a = new Replica('a').start();
    await a.leads();
    server.objects.remove({ resource: 'leases', namespace: 'dynamic-networks', name: 'controller' });
    await vi.waitFor(() => expect(holder()).toBe('a'), { timeout: 5000 });
    expect(a.told).toEqual(['started']);
  });
});

describe('what others wrote into the lease', () => {
  it.each([
    ['no spec', {}],
    ['fields of other types', { spec: { holderIdentity: 7, leaseDurationSeconds: 'long', renewTime: null } }],
    ['nobody', { spec: { holderIdentity: '' } }],
  ])('%s: it counts as free', async (_name, content) => {
    server.objects.create('leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'dynamic-networks', name: 'controller' },
      ...content,
    });
    const a = new Replica('a').start();
    await a.leads();
    expect(holder()).toBe('a');
  });
});

it('a deadline that is not shorter than the lease is refused', () => {
  const options = { client: { json: async () => ({}) }, namespace: 'n', name: 'n', identity: 'i', retryMs: 1 };
  const make = () =>
    new LeaderElection({
      ...options,
      leaseMs: 1000,
      renewDeadlineMs: 1000,
      onStarted: () => undefined,
      onLost: () => undefined,
    });
  expect(make).toThrow('renewDeadlineMs must be less than leaseMs (1000), got 1000');
});
