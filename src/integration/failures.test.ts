import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bridge, World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  world.cluster.multus.clearFaults();
  world.cluster.cri.clearFaults();
  world.cluster.api.faults.clear();
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const commands = () => world.cluster.multus.calls.map(({ command, ifname }) => `${command} ${ifname}`);

describe('one element that fails', () => {
  it('does not hold back the others, is retried alone with growing delays, and heals', async () => {
    const pod = await world.pod('partly');
    const fault = world.cluster.multus.inject(
      { kind: 'error', message: 'no more luck' },
      { command: 'ADD', ifname: 'b0' },
    );
    world.cluster.multus.forgetCalls();
    world.edit(pod, 'blue@a0, red@b0, green@c0');
    await world.converged(pod, { a0: 'default/blue', c0: 'default/green' });
    await world.cluster.until(
      'b0 was tried five times',
      () => world.cluster.multus.count({ command: 'ADD', ifname: 'b0' }) >= 5,
    );
    expect(commands().filter((command) => !command.endsWith('b0'))).toEqual(['ADD a0', 'ADD c0']);
    expect(world.reports(pod)).toMatchObject([
      { interface: 'a0', ready: true },
      {
        interface: 'b0',
        ready: false,
        reason: 'FailedAddingInterface',
        message: expect.stringContaining('no more luck'),
      },
      { interface: 'c0', ready: true },
    ]);
    expect(world.condition(pod)).toMatchObject({ status: 'False', reason: 'FailedAddingInterface' });
    fault.release();
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    await world.cluster.until('ready', () => world.condition(pod)?.status === 'True');
    await world.cluster.until('told of', () => world.events(pod, 'FailedAddingInterface').length > 0);
    expect(world.events(pod, 'FailedAddingInterface')).toHaveLength(1);
  });

  it.each([
    ['fails half-way', { kind: 'halfWay' } as const],
    ['reports an error after it did everything', { kind: 'errorAfterActing' } as const],
    ['has its connection cut after it did everything', { kind: 'cut', acted: true } as const],
    ['has its connection cut before it did anything', { kind: 'cut', acted: false } as const],
    [
      'answers nonsense after it did everything',
      { kind: 'answer', status: 200, body: '{"Result":[1,2', acted: true } as const,
    ],
  ])('leaves nothing behind when ADD %s, and converges', async (_name, fault) => {
    const pod = await world.pod('half-way');
    world.cluster.multus.inject(fault, { command: 'ADD', ifname: 'a0', times: 3 });
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    expect(world.addresses()).toHaveLength(1);
    await world.cluster.until('ready', () => world.reports(pod)[0]?.ready === true);
  });

  it('is undone for good when the element goes while it fails', async () => {
    const pod = await world.pod('given-up');
    const fault = world.cluster.multus.inject({ kind: 'halfWay' }, { ifname: 'a0' });
    world.edit(pod, 'blue@a0');
    await world.cluster.until('failing', () => world.reports(pod)[0]?.ready === false);
    world.edit(pod, 'red@b0');
    await world.converged(pod, { b0: 'default/red' });
    fault.release();
    await world.cluster.until('only red is left', () => world.addresses().length === 1);
    await world.cluster.until('the ledger knows only b0', async () => Object.keys(await world.ledger()).length === 1);
  });

  it('gets one DEL more when its answer was lost and it is no longer wanted: the plugin may finish late', async () => {
    const pod = await world.pod('late');
    const slow = world.cluster.multus.inject({ kind: 'hang' }, { command: 'ADD', ifname: 'a0' });
    world.edit(pod, 'blue@a0');
    await slow.reached;
    world.edit(pod, 'red@b0');
    await world.cluster.until(
      'given up waiting',
      () => world.cluster.multus.count({ command: 'DEL', ifname: 'a0' }) >= 1,
    );
    await world.converged(pod, { b0: 'default/red' });
    slow.release(); // only now does the plugin act
    await world.converged(pod, { b0: 'default/red' });
    await world.cluster.until('only red is left', () => world.addresses().length === 1);
  });

  it('stays in the status, not ready, while its removal fails, and goes when it can', async () => {
    const pod = await world.pod('stuck');
    world.edit(pod, 'blue@a0, red@b0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
    const fault = world.cluster.multus.inject(
      { kind: 'error', message: 'device or resource busy' },
      { command: 'DEL', ifname: 'a0' },
    );
    world.edit(pod, 'green@c0');
    await world.converged(pod, { a0: 'default/blue', c0: 'default/green' });
    await world.cluster.until('reported', () =>
      world.reports(pod).some(({ reason }) => reason === 'FailedRemovingInterface'),
    );
    expect(world.reports(pod)).toMatchObject([
      { interface: 'c0', ready: true },
      { interface: 'a0', ready: false, message: expect.stringContaining('busy') },
    ]);
    fault.release();
    await world.converged(pod, { c0: 'default/green' });
    await world.cluster.until('ready', () => world.condition(pod)?.status === 'True');
  });

  it('does not plug a name anew before its old attachment is gone', async () => {
    const pod = await world.pod('blocked');
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    const fault = world.cluster.multus.inject({ kind: 'error' }, { command: 'DEL', ifname: 'a0' });
    world.cluster.multus.forgetCalls();
    world.edit(pod, 'red@a0');
    await world.cluster.until('three tries', () => world.cluster.multus.count({ command: 'DEL' }) >= 3);
    expect(world.cluster.multus.count({ command: 'ADD' })).toBe(0);
    expect(world.status(pod)).toEqual({ a0: 'default/blue' });
    fault.release();
    await world.converged(pod, { a0: 'default/red' });
  });
});

describe('an agent that ends between a failed ADD and the status', () => {
  it('does not take the stale status entry for an interface that exists', async () => {
    const pod = await world.pod('stale');
    const of = (command: 'ADD' | 'DEL') => world.cluster.multus.count({ command, ifname: 'a0', pod: 'default/stale' });
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    world.cluster.api.faults.fail(500, { verb: 'patch', resource: 'pods' });
    world.edit(pod, undefined);
    await world.cluster.until('removed', () => world.links(pod).length === 0 && of('DEL') >= 1);
    world.cluster.multus.inject({ kind: 'halfWay' }, { command: 'ADD', ifname: 'a0' });
    world.edit(pod, 'blue@a0');
    await world.cluster.until('failed and undone', () => of('ADD') >= 2 && of('DEL') >= 2);
    await world.stopAgent();
    expect(world.status(pod)).toEqual({ a0: 'default/blue' });
    world.cluster.api.faults.clear();
    world.cluster.multus.clearFaults();
    await world.startAgent();
    await world.converged(pod, { a0: 'default/blue' });
  });
});

describe('a part that is down', () => {
  it('Multus: everything converges by itself when it is back', async () => {
    const pod = await world.pod('multus-down');
    world.edit(pod, 'red@b0');
    await world.converged(pod, { b0: 'default/red' });
    await world.cluster.multus.down();
    world.edit(pod, 'blue@a0');
    await world.cluster.until('not ready', () => world.condition(pod)?.status === 'False');
    expect(world.reports(pod)[0]?.message).toMatch(/Multus at .* check the Multus daemon/);
    const readiness = await fetch(`http://127.0.0.1:${world.agent.telemetryPort}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({
      apiServer: 'ok',
      containerRuntime: 'ok',
      multus: expect.not.stringMatching(/^ok$/),
    });
    await world.cluster.multus.up();
    await world.converged(pod, { a0: 'default/blue' });
  });

  it('the container runtime: everything converges by itself when it is back', async () => {
    const pod = await world.pod('cri-down');
    await world.cluster.cri.down();
    world.edit(pod, 'blue@a0');
    await world.cluster.until('not ready', () => world.condition(pod)?.status === 'False');
    expect(world.reports(pod)[0]?.message).toMatch(/container runtime at /);
    await world.cluster.cri.up();
    await world.converged(pod, { a0: 'default/blue' });
  });

  it('the API server: an edit made just before it went is followed, and told of when it is back', async () => {
    const pod = await world.pod('api-down');
    const hold = world.cluster.multus.inject({ kind: 'hang' }, { command: 'ADD', ifname: 'a0' });
    world.edit(pod, 'blue@a0');
    await hold.reached;
    await world.cluster.api.down();
    hold.release();
    await world.cluster.until('plugged', () => world.links(pod).includes('a0'));
    world.edit(pod, 'blue@a0, red@b0');
    await world.cluster.api.up();
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
  });

  it('the status write: a failure after the server acted, a cut answer and conflicts end in the right status', async () => {
    const pod = await world.pod('write-fails');
    const filter = { verb: 'patch', resource: 'pods' } as const;
    world.cluster.api.faults.failAfterActing({ ...filter, count: 1 });
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    world.cluster.api.faults.cutMidAnswer({ ...filter, count: 1 });
    world.edit(pod, 'blue@a0, red@b0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
    world.cluster.api.faults.fail(500, { ...filter, count: 3 });
    world.edit(pod, 'red@b0');
    await world.converged(pod, { b0: 'default/red' });
    expect(world.cluster.multus.count({ command: 'ADD', pod: 'default/write-fails' })).toBe(2);
  });

  it('another writer of network-status does not lose its entry, nor make ours be lost', async () => {
    const pod = await world.pod('two-writers');
    const annotation = 'k8s.v1.cni.cncf.io/network-status';
    const foreign = { name: 'other-cni', interface: 'x9', ips: ['198.51.100.9'], dns: {}, custom: { kept: true } };
    world.cluster.api.faults.onRequest(
      () => {
        world.cluster.objects.modify({ resource: 'pods', ...pod }, (draft) => {
          const entries = JSON.parse(draft.metadata.annotations?.[annotation] ?? '[]');
          draft.metadata.annotations = {
            ...draft.metadata.annotations,
            [annotation]: JSON.stringify([...entries, foreign]),
          };
        });
      },
      'received',
      { verb: 'patch', resource: 'pods', count: 1 },
    );
    world.edit(pod, 'blue@a0');
    await world.cluster.until('both are there', () => Object.keys(world.status(pod)).length === 2);
    expect(world.cluster.networkStatus(pod)).toContainEqual(foreign);
    expect(world.cluster.multus.count({ command: 'ADD', ifname: 'a0', pod: 'default/two-writers' })).toBe(1);
    world.edit(pod, undefined);
    await world.cluster.until(
      'only the foreign one is left',
      () => JSON.stringify(world.status(pod)) === '{"x9":"other-cni"}',
    );
    world.cluster.objects.modify({ resource: 'pods', ...pod }, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [annotation]: '[]' };
    });
  });

  it('a status entry that somebody took away comes back without plugging anything', async () => {
    const pod = await world.pod('status-lost');
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
    world.cluster.multus.forgetCalls();
    const defaultEntry = world.cluster.networkStatus(pod)[0];
    world.cluster.objects.modify({ resource: 'pods', ...pod }, (draft) => {
      draft.metadata.annotations = {
        ...draft.metadata.annotations,
        'k8s.v1.cni.cncf.io/network-status': JSON.stringify([defaultEntry]),
      };
    });
    await world.converged(pod, { a0: 'default/blue' });
    expect(world.cluster.multus.calls).toEqual([]);
  });
});

describe('releasing that keeps failing', () => {
  it('is never forgotten, alarms on the node, and succeeds in the end', async () => {
    world.cluster.createNad({ name: 'sticky', config: bridge('sticky', '10.10.5.0/24') });
    const pod = await world.pod('unreleasable');
    world.edit(pod, 'sticky@s0');
    await world.converged(pod, { s0: 'default/sticky' });
    const fault = world.cluster.multus.inject(
      { kind: 'error', message: 'stuck' },
      { command: 'DEL', network: 'sticky' },
    );
    await world.cluster.deletePod(pod);
    const nodeEvents = () =>
      world.cluster.objects.list('events').filter((event) => event['reason'] === 'ReleaseFailing');
    await world.cluster.until('an alarm', () => nodeEvents().length === 1);
    expect(String(nodeEvents()[0]?.['message'])).toMatch(/s0 on default\/sticky of pod default\/unreleasable .* stuck/);
    const metrics = await (await fetch(`http://127.0.0.1:${world.agent.telemetryPort}/metrics`)).text();
    expect(metrics).toMatch(/^dynamic_networks_orphans 1$/m);
    fault.release();
    await world.cluster.until('released', () => world.addresses().length === 0);
  });
});
