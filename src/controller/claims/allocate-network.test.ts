// Single moments of giving addresses, each built on purpose: allocator-model.test.ts would come by them rarely.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ClaimsApi, TestController } from './test-claims-api.ts';

const makeApi = () => new ClaimsApi({ subnets: '10.0.0.0/29', gateway: 'none' });

/** The controller works until it has sent a message that nobody delivers, or has nothing to do. */
const begin = async (controller: TestController): Promise<void> => {
  await turn(); // its networks are filed a moment after they were told
  controller.start();
  await turn();
};

/** Delivers the controller's next message, or the one at this place among them. */
const deliver = async (api: ClaimsApi, sender: TestController | undefined, place = 0): Promise<void> => {
  const index = api.messages.findIndex((message) => message === api.messages.filter((m) => m.sender === sender)[place]);
  expect(index).toBeGreaterThanOrEqual(0);
  api.messages.splice(index, 1)[0]?.arrive();
  await turn();
};

const finish = async (api: ClaimsApi, controller: TestController): Promise<void> => {
  for (let round = 0; round < 10; round++) {
    await begin(controller);
    while (api.messages.some(({ sender }) => sender === controller)) await deliver(api, controller);
  }
};

/** How a network is read anew: each is asked for, and answered. */
const reading = ['the lock', 'answer', 'the claims', 'answer', 'the pods', 'answer'];

/** Everything that each claim ever had, also for a moment; and addresses that two had at once. */
const recordLives = (api: ClaimsApi) => {
  const lives = new Map<string, string[]>();
  const doubles = new Set<string>();
  api.watchers.add((news) => {
    if (news.kind === 'pod' || news.claim === undefined) return;
    lives.set(news.name, [...(lives.get(news.name) ?? []), news.claim.ips.join()]);
    const all = [...api.claims.values()].flatMap(({ ips }) => ips);
    for (const ip of all) if (all.filter((other) => other === ip).length > 1) doubles.add(ip);
  });
  return { lives, doubles };
};

const ipsOf = (api: ClaimsApi, name: string) => api.claims.get(name)?.ips;

/** c0 has an address; the one that was chosen for c1 is in the lock, and on its way into the claim. */
const withChoiceOnItsWay = async () => {
  const api = makeApi();
  const first = new TestController(api);
  api.create('c0');
  first.hearAll();
  await finish(api, first);
  api.create('c1');
  first.hearAll();
  await begin(first);
  for (const _ of ['the lock is replaced', 'and that is answered']) await deliver(api, first);
  expect([ipsOf(api, 'c0'), ipsOf(api, 'c1'), api.readLock().intents.map(({ ips }) => ips)]).toEqual([
    ['10.0.0.1/29'],
    [],
    [['10.0.0.2/29']],
  ]);
  return { api, first };
};

it('a choice that its maker did not live to write is completed as it is, and its late write disturbs nobody', async () => {
  const { api, first } = await withChoiceOnItsWay();
  first.crash();
  api.remove('c0'); // its address is the lowest that is free: who chose anew would take it
  api.create('c2');
  const second = new TestController(api);
  await finish(api, second);
  expect([ipsOf(api, 'c1'), ipsOf(api, 'c2')]).toEqual([['10.0.0.2/29'], ['10.0.0.1/29']]);
  await deliver(api, first);
  expect([ipsOf(api, 'c1'), ipsOf(api, 'c2')]).toEqual([['10.0.0.2/29'], ['10.0.0.1/29']]);
});

it('a choice whose write was not answered stays in the lock when others are chosen', async () => {
  const api = makeApi();
  const controller = new TestController(api);
  for (const name of ['c0', 'c1', 'c2']) api.create(name); // more than one batch
  controller.hearAll();
  await begin(controller);
  for (const _ of reading) await deliver(api, controller);
  await begin(controller);
  for (const _ of ['the lock is replaced', 'answer']) await deliver(api, controller);
  api.messages.find(({ sender }) => sender === controller)?.giveUp(); // the write of c0, which may still arrive
  await turn();
  api.messages.shift();
  while (!api.readLock().intents.some(({ claim }) => claim === 'ns1/c2')) await deliver(api, controller);
  expect(api.readLock().intents.map(({ claim }) => claim)).toContain('ns1/c0');
});

it('a write that was lost is made again', async () => {
  const { api, first } = await withChoiceOnItsWay();
  for (const message of api.messages.splice(0)) message.lose();
  await turn();
  await finish(api, first);
  expect(ipsOf(api, 'c1')).toEqual(['10.0.0.2/29']);
});

it('two that chose the same because somebody deleted the lock: found by reading again, before any watch tells', async () => {
  const { api, first } = await withChoiceOnItsWay();
  api.remove('c0');
  api.loseLock();
  api.create('c2');
  const second = new TestController(api);
  await begin(second);
  for (const _ of reading) await deliver(api, second);
  await begin(second);
  for (const _ of ['the lock is replaced', 'answer']) await deliver(api, second);
  await deliver(api, first); // c1 has what the first one chose
  await finish(api, second); // c2 has what the second one chose
  expect([ipsOf(api, 'c1'), ipsOf(api, 'c2')]).toEqual([['10.0.0.2/29'], ['10.0.0.2/29']]);
  await finish(api, first);
  expect(ipsOf(api, 'c1')).toEqual(['10.0.0.2/29']);
  expect(ipsOf(api, 'c2')).not.toEqual(['10.0.0.2/29']);
});

it('claims are read after the lock: what others gave before the lock was read is known', async () => {
  const api = makeApi();
  const [late, informed] = [new TestController(api), new TestController(api)];
  api.create('c0');
  late.hearAll();
  await finish(api, late);
  late.hearAll();
  for (const name of ['c1', 'c2', 'c3']) api.create(name);
  api.remove('c0');
  api.create('c4');
  informed.hearAll(); // its lowest free address is another
  await begin(informed);
  for (const _ of ['pods are read', 'answer', 'the first of lock and claims is', 'answer'])
    await deliver(api, informed);
  late.hear('claim', 2);
  await finish(api, late);
  late.hear('claim', 1);
  await finish(api, late); // c1 and c2 have theirs, and the lock tells of c3 only
  expect([ipsOf(api, 'c2'), api.readLock().intents.length]).toEqual([['10.0.0.3/29'], 1]);
  await finish(api, informed);
  const given = ['c1', 'c2', 'c3', 'c4'].flatMap((name) => ipsOf(api, name) ?? []);
  expect([given.length, new Set(given).size]).toEqual([4, 4]);
});

it('pods are read after the claims: what a claim had that came and went unseen is not given while its pod has it', async () => {
  const api = makeApi();
  const [late, informed] = [new TestController(api), new TestController(api)];
  api.create('c0');
  late.hearAll();
  api.create('c1');
  informed.hearAll();
  await finish(api, informed);
  api.startPod('c1');
  api.remove('c1');
  api.create('c2');
  expect(ipsOf(api, 'c0')).toEqual(['10.0.0.1/29']);
  await finish(api, late); // the lock tells it nothing of c1, and its watches have not come so far
  expect(ipsOf(api, 'c2')).toEqual(['10.0.0.3/29']);
});

it('nobody loses an address to a claim for which it was only chosen, by ourselves, before somebody else gave it away', async () => {
  const api = makeApi();
  const [slow, fast] = [new TestController(api), new TestController(api)];
  for (const name of ['c0', 'c1', 'c2', 'c3']) api.create(name); // two batches
  for (const controller of [slow, fast]) controller.hear('claim', 1);
  await begin(slow);
  for (const _ of reading) await deliver(api, slow);
  await begin(slow);
  for (const _ of ['the lock is replaced', 'answer']) await deliver(api, slow); // c1 is to get 10.0.0.2
  api.terminate('c1');
  const { lives } = recordLives(api);
  await finish(api, fast);
  expect(lives.get('c2')?.[0]).toBe('10.0.0.2/29');
  await finish(api, slow);
  expect(lives.get('c2')).toEqual(['10.0.0.2/29']);
});

it('another address is chosen for a claim only when the first one cannot be written any more', async () => {
  const api = makeApi();
  const late = new TestController(api);
  api.create('c0');
  late.hearAll();
  await finish(api, late);
  late.hearAll();
  api.create('c1');
  api.remove('c0');
  const maker = new TestController(api);
  await begin(maker);
  for (const _ of reading) await deliver(api, maker);
  await begin(maker);
  for (const _ of ['the lock is replaced', 'answer']) await deliver(api, maker); // c1 is to get what c0 had
  late.hear('claim', 1); // c1 is there; that c0 is gone it does not know
  const { lives, doubles } = recordLives(api);
  const isAnotherChosen = () => !api.readLock().intents.some(({ ips }) => ips.includes('10.0.0.1/29'));
  while (!isAnotherChosen()) {
    await begin(late);
    await deliver(api, late);
  }
  api.create('c2');
  await deliver(api, maker); // its write of c1 arrives, of which the other does not hear, but of what came before it
  late.hear('claim', 2);
  await finish(api, late);
  for (const controller of [late, maker]) {
    controller.hearAll();
    await finish(api, controller);
  }
  expect([...doubles]).toEqual([]);
  expect(lives.get('c1')?.filter((ips) => ips !== '')).toHaveLength(1);
  expect(ipsOf(api, 'c2')).toHaveLength(1);
});

it('nobody loses an address to a claim that is gone, of which the watch has not told yet', async () => {
  const api = makeApi();
  const [late, fresh] = [new TestController(api), new TestController(api)];
  api.create('c0');
  late.hearAll();
  await finish(api, late);
  api.create('c1');
  api.remove('c0');
  fresh.hearAll();
  await finish(api, fresh);
  expect(ipsOf(api, 'c1')).toEqual(['10.0.0.1/29']);
  late.hear('claim', 2); // it knows of c1, and finds the lock replaced: it reads all claims
  await finish(api, late);
  expect(ipsOf(api, 'c1')).toEqual(['10.0.0.1/29']);
});

it('an address that was chosen for a claim which is deleted before it got it is free for others', async () => {
  const { api, first } = await withChoiceOnItsWay();
  first.crash();
  api.messages.splice(0);
  api.terminate('c1');
  for (const name of ['c2', 'c3', 'c4', 'c5', 'c6']) api.create(name);
  const second = new TestController(api);
  await finish(api, second);
  expect(['c2', 'c3', 'c4', 'c5', 'c6'].map((name) => ipsOf(api, name)?.length)).toEqual([1, 1, 1, 1, 1]);
});

it('the address of a claim that was deleted by force is not given while a pod has it, of which the watch has not told', async () => {
  const api = makeApi();
  const controller = new TestController(api);
  api.create('c0');
  controller.hearAll();
  await finish(api, controller);
  api.startPod('c0');
  api.remove('c0');
  api.create('c1');
  controller.hear('claim', 100);
  await finish(api, controller);
  expect(ipsOf(api, 'c1')).toEqual(['10.0.0.2/29']);
  api.endPod('c0');
  api.create('c2');
  controller.hearAll();
  await finish(api, controller);
  expect(ipsOf(api, 'c2')).toEqual(['10.0.0.1/29']);
});
