import { describe, expect, it } from 'vitest';
import { type Pod, statusAnnotation } from '../../e2e/pods.ts';
import { doesReport } from './pod-watch.ts';

const entry = (name: string, ifname: string) => ({ name, interface: ifname, ips: ['10.0.0.9'] });
const cluster = { name: 'cluster', interface: 'eth0', default: true };
const podWith = (...entries: object[]): Pod => ({
  metadata: {
    name: 'web',
    namespace: 'ns',
    uid: 'u1',
    annotations: { [statusAnnotation]: JSON.stringify([cluster, ...entries]) },
  },
  spec: {},
  status: { phase: 'Running' },
});

describe('network-status shows what was asked for', () => {
  it.each([
    ['nothing asked for, nothing but the default there', podWith(), {}, true],
    [
      'each interface on its network',
      podWith(entry('ns/a', 'hot0'), entry('ns/b', 'hot1')),
      { hot1: 'b', hot0: 'a' },
      true,
    ],
    ['one is missing', podWith(entry('ns/a', 'hot0')), { hot0: 'a', hot1: 'b' }, false],
    ['one is left that is to go', podWith(entry('ns/a', 'hot0'), entry('ns/b', 'hot1')), { hot0: 'a' }, false],
    ['the right interface is still on another network', podWith(entry('ns/b', 'hot0')), { hot0: 'a' }, false],
    ['the default interface does not count', podWith(), { eth0: 'a' }, false],
  ])('%s', (_, pod, interfaces, expected) => {
    expect(doesReport(pod, interfaces)).toBe(expected);
  });
});
