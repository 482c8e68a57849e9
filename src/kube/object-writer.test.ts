import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { podNamed } from '../embedded/api/test-client.ts';
import { ApiClient } from './api-client.ts';
import { ObjectWriter } from './object-writer.ts';
import { networkAttachmentDefinitions, pods } from './resource.ts';
import { kubeConfigOf } from './test-watch.ts';

let server: EmbeddedApiServer;
let client: ApiClient;
let writer: ObjectWriter;
let refusal: string | undefined;
const signal = AbortSignal.timeout(60_000);

beforeEach(async () => {
  server = await startApiServer();
  client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000 });
  refusal = undefined;
  writer = new ObjectWriter({ client, refusal: () => refusal });
  server.objects.create('pods', podNamed('web'));
});
afterEach(async () => {
  client.close();
  await server.stop();
});

const web = () => server.objects.find({ resource: 'pods', namespace: 'default', name: 'web' });
const label = [{ op: 'add' as const, path: '/metadata/labels', value: { a: 'b' } }];

describe('a write', () => {
  it('patches what it was based on', async () => {
    const test = { op: 'test' as const, path: '/metadata/uid', value: web()?.metadata.uid };
    await writer.patch(pods, 'default/web', [test, ...label], { signal });
    expect(web()?.metadata.labels).toEqual({ a: 'b' });
  });

  it.each([
    ['of something that changed meanwhile', 'default/web', 'stateChanged'],
    ['of something that is gone', 'default/none', 'objectGone'],
  ])('%s fails with %s: %s', async (_name, key, kind) => {
    const stale = { op: 'test' as const, path: '/metadata/uid', value: 'another' };
    await expect(writer.patch(pods, key, [stale, ...label], { signal })).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(`Pod ${key}: `),
    });
    expect(web()?.metadata.labels).toBeUndefined();
  });

  it('without the lease sends nothing at all', async () => {
    refusal = 'this replica does not lead';
    const before = server.calls.matching({}).length;
    const writes = [
      () => writer.patch(pods, 'default/web', label, { signal }),
      () => writer.create(networkAttachmentDefinitions, 'default', { metadata: { name: 'n' } }, signal),
      () => writer.remove(pods, 'default/web', { uid: 'x' }, signal),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject({ kind: 'notLeading' });
    expect(server.calls.matching({}).length).toBe(before);
  });

  it('creates with kind and version, and tells when it exists already', async () => {
    const object = { metadata: { name: 'blue' }, spec: { config: '{}' } };
    await writer.create(networkAttachmentDefinitions, 'default', object, signal);
    const place = { resource: 'network-attachment-definitions', namespace: 'default', name: 'blue' };
    expect(server.objects.find(place)).toMatchObject({ kind: 'NetworkAttachmentDefinition', spec: { config: '{}' } });
    await expect(writer.create(networkAttachmentDefinitions, 'default', object, signal)).rejects.toMatchObject({
      kind: 'stateChanged',
    });
  });

  it('deletes only the very object that was meant', async () => {
    await expect(writer.remove(pods, 'default/web', { uid: 'another' }, signal)).rejects.toMatchObject({
      kind: 'stateChanged',
    });
    expect(web()?.metadata.deletionTimestamp).toBeUndefined();
    await writer.remove(pods, 'default/web', { uid: web()?.metadata.uid ?? '' }, signal);
    expect(web()?.metadata.deletionTimestamp ?? 'gone').toBeDefined();
  });
});
