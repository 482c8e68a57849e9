import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const plugged = async (name: string) => {
  const pod = await world.pod(name);
  world.edit(pod, 'blue@a0, red@b0');
  await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
  return pod;
};

describe("a pod's life", () => {
  it('waits while Multus is still at work on a pod that is not running yet', async () => {
    const ref = { namespace: 'default', name: 'starting' };
    const hold = world.cluster.kubelet.holdCreation(ref);
    await world.cluster.createPod({ ...ref, networks: 'blue@a0', wait: false });
    await hold.reached;
    world.edit(ref, 'blue@a0, red@b0');
    const other = await plugged('other');
    expect(world.cluster.multus.calls.filter(({ ifname }) => ifname === 'b0').length).toBe(1);
    hold.release();
    await world.converged(ref, { a0: 'default/blue', b0: 'default/red' });
    expect(other.name).toBe('other');
  });

  it('plugs nothing into a stopping pod and returns its addresses when its containers have ended', async () => {
    const pod = await plugged('stopping');
    const hold = world.cluster.kubelet.holdTermination(pod, 'containers');
    const deleted = world.cluster.deletePod(pod);
    await hold.reached;
    world.edit(pod, 'blue@a0, red@b0, green@c0');
    const other = await plugged('bystander');
    expect(world.links(pod)).toEqual(['a0', 'b0']);
    world.cluster.multus.forgetCalls();
    hold.release();
    await deleted;
    await world.cluster.until('its addresses are back', () => world.addresses().length === 2);
    expect(world.links(other)).toEqual(['a0', 'b0']);
  });

  it("releases in the pod's own name, and with its network namespace, while both are still there", async () => {
    const pod = await plugged('ended');
    const hold = world.cluster.kubelet.holdTermination(pod, 'sandbox');
    world.cluster.multus.forgetCalls();
    const deleted = world.cluster.deletePod(pod);
    await hold.reached;
    await world.cluster.until('released', () => world.addresses().length === 0);
    expect(world.links(pod)).toEqual([]);
    expect(world.cluster.multus.calls.map(({ command, podName, netns }) => [command, podName, netns !== ''])).toEqual([
      ['DEL', 'ended', true],
      ['DEL', 'ended', true],
    ]);
    hold.release();
    await deleted;
  });

  it('returns the addresses of a pod that was deleted by force', async () => {
    const pod = await plugged('forced');
    await world.cluster.deletePod(pod, { force: true });
    await world.cluster.until('its addresses are back', () => world.addresses().length === 0);
  });

  it('returns the addresses of pods that were deleted while the agent was down, by force or not', async () => {
    const [a, b, c] = [await plugged('away-1'), await plugged('away-2'), await plugged('away-3')];
    await world.stopAgent();
    await world.cluster.deletePod(a, { force: true });
    await world.cluster.deletePod(b);
    await world.cluster.deletePod(c);
    expect(world.addresses()).toHaveLength(6);
    await world.startAgent();
    await world.cluster.until('their addresses are back', () => world.addresses().length === 0);
  });

  it('keeps a new pod of the same name apart from its predecessor, as a StatefulSet makes them', async () => {
    const pod = await plugged('web-0');
    await world.stopAgent();
    await world.cluster.deletePod(pod);
    await world.pod('web-0', 'blue@a0, red@b0');
    expect(world.addresses()).toHaveLength(4);
    await world.startAgent();
    await world.cluster.until('only the new one holds addresses', () => world.addresses().length === 2);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
  });

  it('returns the addresses of a pod that has completed but was not deleted', async () => {
    const pod = await plugged('completed');
    world.cluster.kubelet.finishPod(pod);
    await world.cluster.until('released', () => world.addresses().length === 0);
  });

  it('frees what the old sandbox held when it is replaced, and adopts what Multus attached to the new one', async () => {
    const pod = await plugged('rebooted');
    await world.cluster.kubelet.killSandbox(pod);
    await world.cluster.until('two addresses for two interfaces', () => world.addresses().length === 2);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
    world.edit(pod, 'blue@a0, red@b0, green@c0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    world.edit(pod, undefined);
    await world.converged(pod, {});
    expect(world.addresses()).toEqual([]);
  });

  it('frees what the old sandbox held when it was replaced while the agent was down', async () => {
    const pod = await plugged('rebooted-away');
    await world.stopAgent();
    await world.cluster.kubelet.killSandbox(pod);
    expect(world.addresses()).toHaveLength(4);
    await world.startAgent();
    await world.cluster.until('two addresses for two interfaces', () => world.addresses().length === 2);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
  });

  it('notices another sandbox although Multus, as if it had been away when the old one was taken down, remembers that one', async () => {
    const pod = await plugged('rebooted-unseen');
    await world.stopAgent();
    await world.startAgent(); // it knows of no sandbox now, and lists them for the neighbour
    await plugged('neighbour');
    const results = join(world.cluster.multusCacheDir, 'results');
    for (const file of readdirSync(results)) copyFileSync(join(results, file), join(results, `left-${file}`));
    await world.cluster.kubelet.killSandbox(pod);
    await world.cluster.until('two addresses for two interfaces of each', () => world.addresses().length === 4);
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red' });
  });

  it('plugs into the newest ready sandbox when there are several', async () => {
    const pod = await world.pod('several-sandboxes');
    const uid = world.cluster.pod(pod).metadata.uid;
    const stale = { podUid: uid, podNamespace: 'default', podName: pod.name };
    world.cluster.cri.sandboxes.add({ ...stale, netns: '/var/run/netns/cni-old', createdAt: 1n, isReady: true });
    world.cluster.cri.sandboxes.add({
      ...stale,
      netns: '/var/run/netns/cni-dead',
      createdAt: 2n ** 62n,
      isReady: false,
    });
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
  });

  it('does not ask the runtime again because a container restarted', async () => {
    const pod = await plugged('crashing');
    world.cluster.cri.forgetCalls();
    world.cluster.kubelet.restartContainer(pod);
    world.edit(pod, 'blue@a0, red@b0, green@c0');
    await world.converged(pod, { a0: 'default/blue', b0: 'default/red', c0: 'default/green' });
    expect(world.cluster.cri.count()).toBe(0);
  });

  it('serves static pods, whose uid in the runtime is another one than in the API', async () => {
    const pod = await world.pod('static', undefined, { mirrorOf: 'f00dfeedf00dfeedf00dfeedf00dfeed' });
    world.edit(pod, 'blue@a0');
    await world.converged(pod, { a0: 'default/blue' });
  });

  it('leaves pods of other nodes alone', async () => {
    await world.cluster.addNode('node-b');
    const pod = await world.pod('elsewhere', undefined, { nodeName: 'node-b' });
    world.edit(pod, 'blue@a0');
    await plugged('here');
    expect(world.reports(pod)).toEqual([]);
    expect(world.status(pod)).toEqual({});
  });
});
