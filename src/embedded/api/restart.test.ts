import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from './api-server.ts';
import { podNamed, TestClient } from './test-client.ts';

let server: EmbeddedApiServer;
let client: TestClient;

beforeEach(async () => {
  server = await startApiServer();
  client = new TestClient(server);
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

it('comes back on the same port with the same objects, and watches resume', async () => {
  const { url } = server;
  server.objects.create('pods', podNamed('a'));
  const { body } = await client.get('/api/v1/pods');
  const watch = await client.watch('/api/v1/pods');
  expect(await watch.take(1)).toEqual(['ADDED a']);

  await server.down();
  expect([server.connections, server.openWatches.length]).toEqual([0, 0]);
  await expect(watch.next()).rejects.toThrow();
  await expect(client.get('/api/v1/pods')).rejects.toThrow(/ECONNREFUSED/);
  server.objects.create('pods', podNamed('b'));

  await server.up();
  expect(server.url).toBe(url);
  const resumed = await client.watch(`/api/v1/pods?resourceVersion=${body.metadata.resourceVersion}`);
  expect(await resumed.take(1)).toEqual(['ADDED b']);
});

it('cuts a call that hangs when it goes down', async () => {
  const hang = server.faults.hang();
  const call = client.get('/api/v1/pods');
  await hang.held;
  await server.down();
  await expect(call).rejects.toThrow();
});

it('may be told twice', async () => {
  await server.down();
  await server.down();
  await server.up();
  await server.up();
  expect((await client.get('/readyz')).body).toBe('ok');
});

it('leaves nothing running after stop, whatever was open', async () => {
  await client.watch('/api/v1/pods?timeoutSeconds=600');
  const hang = server.faults.hang({ verb: 'get' });
  const hanging = client.get('/api/v1/namespaces/default/pods/x').catch(() => 'cut');
  await hang.held;
  await server.stop();
  expect([server.connections, server.openWatches.length]).toEqual([0, 0]);
  // Released by stop or cut by it: it must not be left waiting.
  await hanging;
  // The port is free again.
  const port = Number(new URL(server.url).port);
  const other = createServer();
  await new Promise<void>((resolve, reject) => other.once('error', reject).listen(port, '127.0.0.1', resolve));
  await new Promise((resolve) => other.close(resolve));
});

it('listens on the port it is given', async () => {
  const port = Number(new URL(server.url).port);
  await server.stop();
  const second = await startApiServer({ port });
  expect(second.url).toBe(`https://127.0.0.1:${port}`);
  await expect(startApiServer({ port })).rejects.toThrow(/EADDRINUSE/);
  await second.stop();
});
