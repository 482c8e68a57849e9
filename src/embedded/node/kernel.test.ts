import { describe, expect, it } from 'vitest';
import { Kernel } from './kernel.ts';

const link = (name: string) => ({
  name,
  mac: '0a:00:00:00:00:01',
  mtu: 1500,
  addresses: ['10.0.0.2/24'],
  type: 'veth',
});

describe('Kernel', () => {
  it('starts a namespace with lo and gives it a path like containerd does', () => {
    const kernel = new Kernel();
    const path = kernel.createNetns();
    expect(path).toMatch(/^\/var\/run\/netns\/cni-[0-9a-f-]{36}$/);
    expect(kernel.links(path).map(({ name }) => name)).toEqual(['lo']);
  });

  it('has a link name once per namespace', () => {
    const kernel = new Kernel();
    const [one, two] = [kernel.createNetns(), kernel.createNetns()];
    kernel.addLink(one, link('net1'));
    kernel.addLink(two, link('net1'));
    expect(() => kernel.addLink(one, link('net1'))).toThrow('already exists');
  });

  it('loses the links with the namespace', () => {
    const kernel = new Kernel();
    const path = kernel.createNetns();
    kernel.addLink(path, link('net1'));
    kernel.deleteNetns(path);
    expect(kernel.hasNetns(path)).toBe(false);
    expect(() => kernel.links(path)).toThrow('no such file or directory');
  });

  it('tells listeners of every change, until they unsubscribe', () => {
    const kernel = new Kernel();
    let changes = 0;
    const unsubscribe = kernel.subscribe(() => {
      changes += 1;
    });
    const path = kernel.createNetns();
    kernel.addLink(path, link('net1'));
    expect(kernel.removeLink(path, 'net1')).toBe(true);
    expect(kernel.removeLink(path, 'net1')).toBe(false);
    unsubscribe();
    kernel.deleteNetns(path);
    expect(changes).toBe(3);
  });
});
