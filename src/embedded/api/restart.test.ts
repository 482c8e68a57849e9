import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startApiServer } from './api-server.ts';
import { apiPerTest } from './test-api.ts';
import { podNamed } from './test-client.ts';

const api = apiPerTest();

it('comes back on the same port with the same objects, and watches resume', async () => {
  const { url } = api.server;
  api.server.objects.create('pods', podNamed('a'));
  const { body } = await api.client.get('/api/v1/pods');
  const watch = await api.client.watch('/api/v1/pods');
  expect(await watch.take(1)).toEqual(['ADDED a']);

  await api.server.down();
  expect([api.server.connections, api.server.openWatches.length]).toEqual([0, 0]);
  await expect(watch.next()).rejects.toThrow();
  await expect(api.client.get('/api/v1/pods')).rejects.toThrow(/ECONNREFUSED/);
  api.server.objects.create('pods', podNamed('b'));

  await api.server.up();
  expect(api.server.url).toBe(url);
  const resumed = await api.client.watch(`/api/v1/pods?resourceVersion=${body.metadata.resourceVersion}`);
  expect(await resumed.take(1)).toEqual(['ADDED b']);
});

it('cuts a call that hangs when it goes down', async () => {
  const hang = api.server.faults.hang();
  const call = api.client.get('/api/v1/pods');
  await hang.held;
  await api.server.down();
  await expect(call).rejects.toThrow();
});

it('may be told twice', async () => {
  await api.server.down();
  await api.server.down();
  await api.server.up();
  await api.server.up();
  expect((await api.client.get('/readyz')).body).toBe('ok');
});

it('leaves nothing running after stop, whatever was open', async () => {
  await api.client.watch('/api/v1/pods?timeoutSeconds=600');
  const hang = api.server.faults.hang({ verb: 'get' });
  const hanging = api.client.get('/api/v1/namespaces/default/pods/x').catch(() => 'cut');
  await hang.held;
  await api.server.stop();
  expect([api.server.connections, api.server.openWatches.length]).toEqual([0, 0]);
  // Released by stop or cut by it: it must not be left waiting.
  await hanging;
  // The port is free again.
  const port = Number(new URL(api.server.url).port);
  const other = createServer();
  await new Promise<void>((resolve, reject) => other.once('error', reject).listen(port, '127.0.0.1', resolve));
  await new Promise((resolve) => other.close(resolve));
});

it('listens on the port it is given', async () => {
  const port = Number(new URL(api.server.url).port);
  await api.server.stop();
  const second = await startApiServer({ port });
  expect(second.url).toBe(`https://127.0.0.1:${port}`);
  await expect(startApiServer({ port })).rejects.toThrow(/EADDRINUSE/);
  await second.stop();
});
