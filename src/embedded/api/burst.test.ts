// The server must not be what a measurement of the agent measures.
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

const names = Array.from({ length: 500 }, (_, index) => `pod-${index}`);

it('takes 500 patches at once, and a watch sees every one', async () => {
  for (const name of names) server.objects.create('pods', podNamed(name));
  const { body } = await client.get('/api/v1/pods');
  const watch = await client.watch(`/api/v1/pods?resourceVersion=${body.metadata.resourceVersion}`);
  const cpuBefore = process.cpuUsage();
  const patch = { metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': 'x'.repeat(1000) } } };
  const replies = await Promise.all(
    names.map((name) => client.patch(`/api/v1/namespaces/default/pods/${name}`, patch)),
  );
  const seen = new Set(await watch.take(names.length));
  const { user, system } = process.cpuUsage(cpuBefore);
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(seen.size).toBe(names.length);
  // Client and server together; generous, since machines differ and other tests run beside this one.
  expect((user + system) / 1000).toBeLessThan(3000);
  expect(server.calls.count('patch', 'pods')).toBe(names.length);
});
