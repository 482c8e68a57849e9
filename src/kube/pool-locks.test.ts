// The lock of a network's addresses as the API server holds it: of all who read one version, one replaces it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { ApiClient } from './api-client.ts';
import { ObjectWriter } from './object-writer.ts';
import { POOL_INTENTS_ANNOTATION, PoolLocks } from './pool-locks.ts';
import { kubeConfigOf } from './test-watch.ts';

let server: EmbeddedApiServer;
let client: ApiClient;
let locks: PoolLocks;
const signal = AbortSignal.timeout(60_000);
const intent = (name: string) => ({ claim: `ns1/${name}`, uid: `uid-${name}`, ips: ['10.0.0.1/24'] });

beforeEach(async () => {
  server = await startApiServer();
  client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000 });
  const writer = new ObjectWriter({ client, refusal: () => undefined });
  locks = new PoolLocks({ client, writer, namespace: 'dynamic-networks' });
});
afterEach(async () => {
  client.close();
  await server.stop();
});

it('is not there at first, and holds what was written last', async () => {
  const none = await locks.read('blue/net', signal);
  expect(none).toEqual({ version: undefined, intents: [] });
  const made = await locks.replace('blue/net', none, [intent('a')], signal);
  const replaced = await locks.replace('blue/net', made, [intent('b')], signal);
  expect(await locks.read('blue/net', signal)).toEqual({ version: replaced.version, intents: [intent('b')] });
  expect((await locks.read('other', signal)).version).toBeUndefined();
});

it('that two make at once is one’s', async () => {
  const none = await locks.read('blue', signal);
  const tries = await Promise.allSettled(['a', 'b'].map((name) => locks.replace('blue', none, [intent(name)], signal)));
  expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

it('that two replace at once is one’s, also when both write the same', async () => {
  const made = await locks.replace('blue', await locks.read('blue', signal), [], signal);
  const tries = await Promise.allSettled([1, 2].map(() => locks.replace('blue', made, [intent('a')], signal)));
  expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(tries.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { kind: 'stateChanged' } });
});

it('is another version after each write, also of what it says already', async () => {
  const made = await locks.replace('blue', await locks.read('blue', signal), [intent('a')], signal);
  const again = await locks.replace('blue', made, [intent('a')], signal);
  expect(again.version).not.toBe(made.version);
  await expect(locks.replace('blue', made, [], signal)).rejects.toMatchObject({ kind: 'stateChanged' });
});

it('that somebody deleted cannot be replaced by who knew it', async () => {
  const made = await locks.replace('blue', await locks.read('blue', signal), [intent('a')], signal);
  for (const { metadata } of server.objects.list('leases')) {
    server.objects.remove({ resource: 'leases', namespace: 'dynamic-networks', name: metadata.name });
  }
  await expect(locks.replace('blue', made, [], signal)).rejects.toMatchObject({ kind: 'objectGone' });
});

it('that somebody garbled tells of no choices', async () => {
  await locks.replace('blue', await locks.read('blue', signal), [intent('a')], signal);
  for (const { metadata } of server.objects.list('leases')) {
    server.objects.modify({ resource: 'leases', namespace: 'dynamic-networks', name: metadata.name }, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [POOL_INTENTS_ANNOTATION]: '[{"claim":1}]' };
    });
  }
  expect((await locks.read('blue', signal)).intents).toEqual([]);
});
