import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MultusRules, unknownRules } from '../model/multus-rules.ts';
import { NodeNetworks, type RulesMemory } from './node-networks.ts';

let directory: string;
let now: number;
let node: NodeNetworks;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cni-'));
  mkdirSync(join(directory, 'net.d'));
  mkdirSync(join(directory, 'multus.d'));
  now = 0;
  node = new NodeNetworks({
    cniConfigDir: join(directory, 'net.d'),
    networkConfigDir: join(directory, 'multus.d'),
    now: () => now,
  });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (path: string, content: string | object) =>
  writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
const noRules: MultusRules = { isNamespaceIsolated: false, globalNamespaces: [], defaultNetworks: new Set() };
const isolated: MultusRules = { ...noRules, isNamespaceIsolated: true };

describe('the rules of Multus on this node', () => {
  it.each<[string, object, object]>([
    ['nothing said means nothing is restricted', { type: 'multus' }, noRules],
    [
      'the shim of the thick plugin says it as well',
      { type: 'multus-shim', namespaceIsolation: true },
      { ...noRules, isNamespaceIsolated: true },
    ],
    [
      'a list of plugins says it as well',
      { name: 'multus', plugins: [{ type: 'portmap' }, { type: 'multus-shim', namespaceIsolation: true }] },
      isolated,
    ],
    [
      'isolation with global namespaces',
      { type: 'multus', namespaceIsolation: true, globalNamespaces: 'default, infra,,' },
      { ...noRules, isNamespaceIsolated: true, globalNamespaces: ['default', 'infra'] },
    ],
    [
      'default networks are in the namespace of Multus unless they say otherwise',
      { type: 'multus', defaultNetworks: ['mon', 'infra/audit'] },
      { ...noRules, defaultNetworks: new Set(['kube-system/mon', 'infra/audit']) },
    ],
    [
      'the namespace of Multus can be another one',
      { type: 'multus', defaultNetworks: ['mon'], multusNamespace: 'multus' },
      { ...noRules, defaultNetworks: new Set(['multus/mon']) },
    ],
  ])('%s', async (_, config, expected) => {
    write('net.d/00-multus.conf', config);
    expect(await node.rules()).toEqual(expected);
  });

  it.each<[string, () => void]>([
    ['there is no directory', () => rmSync(join(directory, 'net.d'), { recursive: true })],
    ['there is no file', () => undefined],
    ['no file is of Multus', () => write('net.d/10-flannel.conf', { type: 'flannel', namespaceIsolation: true })],
    [
      'the file is of no kind that CNI reads',
      () => write('net.d/multus.txt', { type: 'multus', namespaceIsolation: true }),
    ],
    ['the file is being written', () => write('net.d/00-multus.conf', '{"type":"multus","namespaceIsol')],
    ['the file is a directory', () => mkdirSync(join(directory, 'net.d/00-multus.conf'))],
    [
      'the file is absurdly large',
      () => write('net.d/00-multus.conf', `{"type":"multus","namespaceIsolation":true}${' '.repeat(1024 * 1024)}`),
    ],
  ])('are not known when %s', async (_, prepare) => {
    prepare();
    expect(await node.rules()).toEqual(unknownRules);
  });

  it('are found beside files that cannot be read', async () => {
    write('net.d/00-broken.conf', '{');
    write('net.d/05-other.conflist', { plugins: [] });
    write('net.d/10-multus.conf', { type: 'multus', namespaceIsolation: true });
    expect((await node.rules()).isNamespaceIsolated).toBe(true);
  });

  it('are those of the first file in order of names', async () => {
    write('net.d/10-multus.conf', { type: 'multus', namespaceIsolation: true });
    write('net.d/00-multus.conf', { type: 'multus', namespaceIsolation: false });
    expect((await node.rules()).isNamespaceIsolated).toBe(false);
  });

  it('still hold while Multus restarts, and its file is gone or half-written', async () => {
    write('net.d/00-multus.conf', { type: 'multus', namespaceIsolation: true });
    await node.rules();
    rmSync(join(directory, 'net.d/00-multus.conf'));
    now = 2000;
    expect((await node.rules()).isNamespaceIsolated).toBe(true);
    write('net.d/00-multus.conf', '{"type":');
    now = 4000;
    expect((await node.rules()).isNamespaceIsolated).toBe(true);
    write('net.d/00-multus.conf', { type: 'multus' });
    now = 6000;
    expect((await node.rules()).isNamespaceIsolated).toBe(false);
  });

  it('are read again two seconds later, not before', async () => {
    write('net.d/00-multus.conf', { type: 'multus' });
    expect((await node.rules()).isNamespaceIsolated).toBe(false);
    write('net.d/00-multus.conf', { type: 'multus', namespaceIsolation: true });
    now = 1999;
    expect((await node.rules()).isNamespaceIsolated).toBe(false);
    now = 2000;
    expect((await node.rules()).isNamespaceIsolated).toBe(true);
  });
});

describe('the memory of rules', () => {
  const remembering = (remembered?: MultusRules) => {
    const saved: MultusRules[] = [];
    const changes: MultusRules[] = [];
    const memory: RulesMemory = {
      load: async () => remembered,
      save: async (rules) => void saved.push(rules),
    };
    const networks: NodeNetworks = new NodeNetworks({
      cniConfigDir: join(directory, 'net.d'),
      networkConfigDir: join(directory, 'multus.d'),
      now: () => now,
      memory,
      onChange: () => void networks.rules().then((rules) => changes.push(rules)),
    });
    return { networks, saved, changes };
  };

  it('answers while Multus’ file is absent', async () => {
    const { networks, saved } = remembering(isolated);
    expect(await networks.rules()).toEqual(isolated);
    expect(saved).toEqual([]);
  });

  it('gives way to what Multus says now, and keeps that', async () => {
    write('net.d/00-multus.conf', { type: 'multus' });
    const { networks, saved } = remembering(isolated);
    expect(await networks.rules()).toEqual(noRules);
    expect(saved).toEqual([noRules]);
  });

  it('is written once per change, not at every look', async () => {
    write('net.d/00-multus.conf', { type: 'multus', namespaceIsolation: true });
    const { networks, saved } = remembering();
    for (let look = 0; look < 3; look += 1) await networks.look();
    expect(saved).toEqual([isolated]);
  });

  it('that cannot be written does not keep the rules from being known', async () => {
    write('net.d/00-multus.conf', { type: 'multus', namespaceIsolation: true });
    const problems: unknown[] = [];
    const networks = new NodeNetworks({
      cniConfigDir: join(directory, 'net.d'),
      networkConfigDir: join(directory, 'multus.d'),
      memory: { load: async () => undefined, save: () => Promise.reject(new Error('disk full')) },
      onForgetful: (error) => problems.push(error),
    });
    expect(await networks.rules()).toEqual(isolated);
    expect(problems).toEqual([new Error('disk full')]);
  });

  it('tells of a change once, whoever looked, and of none at the start', async () => {
    write('net.d/00-multus.conf', { type: 'multus' });
    const { networks, changes } = remembering(isolated);
    await networks.rules();
    expect(changes).toEqual([]);
    write('net.d/00-multus.conf', { type: 'multus', namespaceIsolation: true });
    await Promise.all([networks.look(), networks.look()]);
    await networks.look();
    rmSync(join(directory, 'net.d/00-multus.conf'));
    await networks.look();
    expect(changes).toEqual([isolated]);
  });
});

describe('configs on disk, for definitions without one', () => {
  it.each([
    ['a config by its name', 'blue', '{"name":"blue","type":"bridge"}'],
    ['a list by its name', 'red', '{"name":"red","plugins":[]}'],
    ['a file of JSON', 'green', '{"name":"green","type":"a"}'],
    ['the first of two of one name', 'twice', '{"name":"twice","type":"first"}'],
    ['nothing by the name of a file', '10-blue', undefined],
    ['nothing that is not there', 'grey', undefined],
    ['nothing in a file of another kind', 'note', undefined],
  ])('finds %s', async (_, name, expected) => {
    write('multus.d/10-blue.conf', '{"name":"blue","type":"bridge"}');
    write('multus.d/20-red.conflist', '{"name":"red","plugins":[]}');
    write('multus.d/30-green.json', '{"name":"green","type":"a"}');
    write('multus.d/41-twice.conf', '{"name":"twice","type":"second"}');
    write('multus.d/40-twice.conf', '{"name":"twice","type":"first"}');
    write('multus.d/note.txt', '{"name":"note"}');
    write('multus.d/list.conf', '[]');
    write('multus.d/broken.conf', '{');
    expect(await node.findConfig(name)).toBe(expected);
  });

  it('are looked for anew each time', async () => {
    expect(await node.findConfig('blue')).toBeUndefined();
    write('multus.d/10-blue.conf', '{"name":"blue"}');
    expect(await node.findConfig('blue')).toBe('{"name":"blue"}');
    rmSync(join(directory, 'multus.d'), { recursive: true });
    expect(await node.findConfig('blue')).toBeUndefined();
  });
});
