import { describe, expect, it } from 'vitest';
import { devicesIn, findNetns } from './sandbox-info.ts';

const sandbox = (...namespaces: object[]) => ({
  info: JSON.stringify({ pid: 1, runtimeSpec: { linux: { namespaces } } }),
});
const container = (...env: unknown[]) => ({ info: JSON.stringify({ runtimeSpec: { process: { env } } }) });

describe('findNetns', () => {
  it.each([
    [
      'the path of the network namespace',
      sandbox({ type: 'pid' }, { type: 'network', path: '/run/netns/1' }),
      '/run/netns/1',
    ],
    ['nothing for a pod on the network of its node', sandbox({ type: 'pid' }), undefined],
    ['nothing for an empty path', sandbox({ type: 'network', path: '' }), undefined],
    ['nothing for a path that is a number', sandbox({ type: 'network', path: 5 }), undefined],
    ['nothing when there is no info', {}, undefined],
    ['nothing when the info is no JSON', { info: '{' }, undefined],
    ['nothing when the info is null', { info: 'null' }, undefined],
  ])('tells %s', (_, info, expected) => {
    expect(findNetns(info)).toBe(expected);
  });
});

describe('devicesIn', () => {
  it.each([
    ['one device', container('PCIDEVICE_INTEL_COM_VF=0000:01:00.1'), ['0000:01:00.1']],
    ['several of one resource', container('PCIDEVICE_A=1,2', 'PCIDEVICE_B=3'), ['1', '2', '3']],
    ['not what describes them', container('PCIDEVICE_A=1', 'PCIDEVICE_A_INFO={"1":{}}'), ['1']],
    ['not other variables', container('PATH=/bin', 'MY_PCIDEVICE_A=1'), []],
    ['nothing of an environment with garbage', container('PCIDEVICE_A=1', 5), []],
    ['nothing without info', {}, []],
  ])('tells %s', (_, info, expected) => {
    expect(devicesIn(info)).toEqual(expected);
  });

  it.each([
    ['an empty value', 'PCIDEVICE_A='],
    ['no value', 'PCIDEVICE_A'],
    ['a trailing comma', 'PCIDEVICE_A=1,'],
  ])('regression: %s names no device with an empty id', (_, line) => {
    expect(devicesIn(container(line))).not.toContain('');
  });
});
