// The two reflectors of the agent, as its ports want them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { podNamed } from '../embedded/api/test-client.ts';
import { networkName, podKey } from '../model/keys.ts';
import { ApiClient } from './api-client.ts';
import { kubeConfigOf } from './test-watch.ts';
import { WatchedNetworks } from './watched-networks.ts';
import { WatchedPods } from './watched-pods.ts';

let server: EmbeddedApiServer;
let client: ApiClient;
let pods: WatchedPods;
let networks: WatchedNetworks;
let changed: string[];

beforeEach(async () => {
  server = await startApiServer();
  client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000 });
  changed = [];
  const onChange = (key: string) => changed.push(key);
  pods = new WatchedPods({ client, nodeName: 'node-a', onChange, onError: () => undefined });
  networks = new WatchedNetworks({ client, onChange, onError: () => undefined });
});
afterEach(async () => {
  await Promise.all([pods.reflector.stop(), networks.reflector.stop()]);
  await client.close();
  await server.stop();
});

const web = podKey('default', 'web');
const blue = networkName('shop', 'blue');
const signal = AbortSignal.timeout(60_000);
const createBlue = () =>
  server.objects.create('network-attachment-definitions', {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { namespace: 'shop', name: 'blue' },
    spec: { config: '{}' },
  });

describe('pods', () => {
  it('of this node are known by their key, and changes are told by it', async () => {
    server.objects.create('pods', podNamed('web'));
    server.objects.create('pods', podNamed('elsewhere', { nodeName: 'node-b' }));
    pods.reflector.start();
    await pods.reflector.synced;
    expect([pods.list().map(({ key }) => key), pods.find(web)?.name, changed]).toEqual([[web], 'web', [web]]);
  });

  it('can be read afresh, ahead of the watch', async () => {
    server.objects.create('pods', podNamed('web'));
    expect(await pods.refresh(web, signal)).toMatchObject({ name: 'web', phase: 'Running' });
    expect(pods.find(web)?.name).toBe('web');
  });

  it('that are gone are told so', async () => {
    expect(await pods.refresh(web, signal)).toBeUndefined();
  });

  it('that cannot be read are told so', async () => {
    server.faults.fail(500);
    await expect(pods.refresh(web, signal)).rejects.toMatchObject({
      kind: 'apiUnreachable',
      message: expect.stringContaining('pod default/web cannot be read: '),
      cause: expect.any(Error),
    });
  });
});

describe('networks', () => {
  it('are known by their name, whatever their namespace', async () => {
    createBlue();
    networks.reflector.start();
    await networks.reflector.synced;
    expect([networks.find(blue)?.config, changed]).toEqual(['{}', [blue]]);
  });

  it('that were just created are fetched, ahead of the watch', async () => {
    networks.reflector.start();
    await networks.reflector.synced;
    await vi.waitFor(() => expect(networks.reflector.isConnected).toBe(true));
    const held = server.faults.hang({ verb: 'watch' });
    server.faults.dropWatches({ abruptly: true });
    await held.held;
    createBlue();
    expect(networks.find(blue)).toBeUndefined();
    expect(await networks.fetch(blue, signal)).toMatchObject({ network: blue, config: '{}' });
    expect(networks.find(blue)).toBeDefined();
    held.release();
  });

  it('that do not exist are told so', async () => {
    expect(await networks.fetch(blue, signal)).toBeUndefined();
  });

  it('that cannot be read are told so', async () => {
    server.faults.fail(503);
    await expect(networks.fetch(blue, signal)).rejects.toMatchObject({ kind: 'apiUnreachable' });
  });
});
