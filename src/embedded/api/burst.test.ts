// The server must not be what a measurement of the agent measures.
import { expect, it } from 'vitest';
import { apiPerTest } from './test-api.ts';
import { podNamed } from './test-client.ts';

const api = apiPerTest();

const names = Array.from({ length: 500 }, (_, index) => `pod-${index}`);

it('takes 500 patches at once, and a watch sees every one', async () => {
  for (const name of names) api.server.objects.create('pods', podNamed(name));
  const { body } = await api.client.get('/api/v1/pods');
  const watch = await api.client.watch(`/api/v1/pods?resourceVersion=${body.metadata.resourceVersion}`);
  const cpuBefore = process.cpuUsage();
  const patch = { metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': 'x'.repeat(1000) } } };
  const replies = await Promise.all(
    names.map((name) => api.client.patch(`/api/v1/namespaces/default/pods/${name}`, patch)),
  );
  const seen = new Set(await watch.take(names.length));
  const { user, system } = process.cpuUsage(cpuBefore);
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(seen.size).toBe(names.length);
  // Client and server together; generous, since machines differ and other tests run beside this one.
  expect((user + system) / 1000).toBeLessThan(3000);
  expect(api.server.calls.count('patch', 'pods')).toBe(names.length);
});
