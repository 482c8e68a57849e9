import { describe, expect, it } from 'vitest';
import { configForCheck, parseConfig, renderConfig } from './cni-config.ts';
import { KnownError } from './errors.ts';
import type { SelectionAttributes } from './network-selection.ts';
import { network } from './test-builders.ts';

const blue = network('blue');
const render = (config: object, requested: SelectionAttributes = {}): unknown =>
  JSON.parse(renderConfig(blue, JSON.stringify(config), requested).config);

const refusal = (work: () => unknown): KnownError => {
  try {
    work();
  } catch (error) {
    if (error instanceof KnownError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const bandwidth = { ingressRate: 1, ingressBurst: 2, egressRate: 3, egressBurst: 4 };

describe('renderConfig', () => {
  it.each<[string, object, SelectionAttributes, object]>([
    [
      'a config with a name stays as it is',
      { name: 'n', type: 'bridge', x: 1 },
      {},
      { name: 'n', type: 'bridge', x: 1 },
    ],
    ['a missing name is that of the definition', { type: 'bridge' }, {}, { type: 'bridge', name: 'blue' }],
    ['an empty name is that of the definition', { name: '', type: 'bridge' }, {}, { name: 'blue', type: 'bridge' }],
    [
      'a list keeps its plugins in order',
      { plugins: [{ type: 'bridge' }, { type: 'tuning' }] },
      {},
      { name: 'blue', plugins: [{ type: 'bridge' }, { type: 'tuning' }] },
    ],
    [
      'bandwidth goes to the plugin that declares it',
      { name: 'n', plugins: [{ type: 'bridge' }, { type: 'bandwidth', capabilities: { bandwidth: true } }] },
      { bandwidth },
      {
        name: 'n',
        plugins: [
          { type: 'bridge' },
          { type: 'bandwidth', capabilities: { bandwidth: true }, runtimeConfig: { bandwidth } },
        ],
      },
    ],
    [
      'a plugin that says false to a capability does not get it',
      {
        name: 'n',
        plugins: [
          { type: 'a', capabilities: { bandwidth: false } },
          { type: 'b', capabilities: { bandwidth: true } },
        ],
      },
      { bandwidth },
      {
        name: 'n',
        plugins: [
          { type: 'a', capabilities: { bandwidth: false } },
          { type: 'b', capabilities: { bandwidth: true }, runtimeConfig: { bandwidth } },
        ],
      },
    ],
    [
      'a single plugin gets port mappings and GUID, too',
      { name: 'n', type: 'ib', capabilities: { portMappings: true, infinibandGUID: true } },
      { portMappings: [{ hostPort: 80 }], infinibandGuid: '02:00:00:00:00:00:00:01' },
      {
        name: 'n',
        type: 'ib',
        capabilities: { portMappings: true, infinibandGUID: true },
        runtimeConfig: { portMappings: [{ hostPort: 80 }], infinibandGUID: '02:00:00:00:00:00:00:01' },
      },
    ],
    [
      'a device goes to a single plugin',
      { name: 'n', type: 'sriov' },
      { deviceId: '0000:65:00.2' },
      { name: 'n', type: 'sriov', deviceID: '0000:65:00.2', pciBusID: '0000:65:00.2' },
    ],
    [
      'a device goes to the first plugin of a list only',
      { name: 'n', plugins: [{ type: 'sriov' }, { type: 'tuning' }] },
      { deviceId: 'd' },
      { name: 'n', plugins: [{ type: 'sriov', deviceID: 'd', pciBusID: 'd' }, { type: 'tuning' }] },
    ],
    [
      'cni-args go to every plugin, over those that are there',
      { name: 'n', plugins: [{ type: 'a', args: { cni: { x: 1, y: 1 }, other: 2 } }, { type: 'b' }] },
      { cniArgs: { x: 9 } },
      {
        name: 'n',
        plugins: [
          { type: 'a', args: { cni: { x: 9, y: 1 }, other: 2 } },
          { type: 'b', args: { cni: { x: 9 } } },
        ],
      },
    ],
    [
      'args that are no object are replaced',
      { name: 'n', type: 'a', args: 'x' },
      { cniArgs: { a: 1 } },
      { name: 'n', type: 'a', args: { cni: { a: 1 } } },
    ],
  ])('%s', (_, config, requested, expected) => {
    expect(render(config, requested)).toEqual(expected);
  });

  it('hands addresses to Multus beside the config, and only those', () => {
    const requested = { ips: ['10.0.0.5/24'], mac: '02:00:00:00:00:01', cniArgs: { a: 1 } };
    const { attributes } = renderConfig(blue, '{"name":"n","type":"a"}', requested);
    expect(attributes).toEqual({ ips: ['10.0.0.5/24'], mac: '02:00:00:00:00:01' });
    expect(renderConfig(blue, '{"name":"n","type":"a"}', {}).attributes).toEqual({});
  });

  it('hands addresses over in the config where a plugin gets other things there: Multus would replace those', () => {
    const capabilities = { bandwidth: true, ips: true };
    const requested = { ips: ['10.0.0.5/24'], mac: '02:00:00:00:00:01', bandwidth };
    const { config, attributes } = renderConfig(
      blue,
      JSON.stringify({ name: 'n', type: 'a', capabilities }),
      requested,
    );
    expect(JSON.parse(config)['runtimeConfig']).toEqual({ bandwidth, ips: ['10.0.0.5/24'] });
    expect(attributes).toEqual({ mac: '02:00:00:00:00:01' });
  });

  it('leaves addresses to Multus where a plugin takes them and gets nothing else', () => {
    const text = '{"name":"n","type":"a","capabilities":{"ips":true,"bandwidth":true}}';
    expect(renderConfig(blue, text, { ips: ['10.0.0.5/24'] })).toEqual({
      config: text,
      attributes: { ips: ['10.0.0.5/24'] },
    });
  });

  it('changes nothing of a config that is asked for plainly, not even numbers or unknown fields', () => {
    const text = '{"cniVersion":"0.3.1","name":"n","type":"a","mtu":9000,"x":{"y":[1,null,true]}}';
    expect(renderConfig(blue, text, {}).config).toBe(text);
  });

  it('keeps a key called __proto__ as data', () => {
    const cniArgs = JSON.parse('{"__proto__":{"polluted":true}}');
    expect(renderConfig(blue, '{"name":"n","type":"a"}', { cniArgs }).config).toBe(
      '{"name":"n","type":"a","args":{"cni":{"__proto__":{"polluted":true}}}}',
    );
    expect({}).not.toHaveProperty('polluted');
  });

  it.each<[string, string]>([
    ['that is no JSON', '{"type":'],
    ['that is a list', '[]'],
    ['that is a text', '"bridge"'],
    ['without a plugin', '{"name":"n"}'],
    ['with an empty type', '{"type":""}'],
    ['with an empty list of plugins', '{"plugins":[]}'],
    ['with plugins that are none', '{"plugins":["bridge"]}'],
    ['with the path of a program', '{"type":"/bin/sh"}'],
    ['with a path to a program elsewhere', '{"type":"../../bin/sh"}'],
    ['with a directory as a plugin', '{"type":".."}'],
    ['with a flag as a plugin', '{"type":"--help"}'],
    ['with a plugin name that ends a text', '{"type":"bridge\\u0000x"}'],
    ['with a look-alike of a plugin name', '{"type":"br\u0456dge"}'],
    ['with a path in a list', '{"plugins":[{"type":"bridge"},{"type":"a/b"}]}'],
    ['with a path as the plugin for addresses', '{"type":"bridge","ipam":{"type":"/tmp/evil"}}'],
    ['with a path as the plugin for addresses in a list', '{"plugins":[{"type":"bridge","ipam":{"type":"x/../y"}}]}'],
    ['with more levels than anybody means', `{"type":"a","x":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('refuses a config %s, and says what to correct', (_, text) => {
    const error = refusal(() => renderConfig(blue, text, {}));
    expect(error.kind).toBe('networkInvalid');
    expect(error.message).toMatch(/^the config of NetworkAttachmentDefinition shop\/blue .*; correct it/);
  });

  it.each<[string, SelectionAttributes]>([
    ['bandwidth', { bandwidth }],
    ['portMappings', { portMappings: [{ hostPort: 80 }] }],
    ['infinibandGUID', { infinibandGuid: '02:00:00:00:00:00:00:01' }],
  ])('refuses %s that no plugin declares', (capability, requested) => {
    const error = refusal(() => renderConfig(blue, '{"type":"bridge"}', requested));
    expect([error.kind, error.message]).toEqual([
      'notHotPluggable',
      expect.stringContaining(`asks for ${capability},`),
    ]);
  });
});

describe('parseConfig', () => {
  it('keeps the cause of a syntax error', () => {
    expect(refusal(() => parseConfig(blue, '{')).cause).toBeInstanceOf(SyntaxError);
  });
});

describe('configForCheck', () => {
  it.each([
    ['a single plugin is asked as it is', '{"name":"n","type":"a"}', '{"name":"n","type":"a"}'],
    [
      'of a list the first plugin is asked, under the name and version of the list',
      '{"cniVersion":"1.0.0","name":"n","plugins":[{"type":"a","x":1},{"type":"b"}]}',
      '{"type":"a","x":1,"name":"n","cniVersion":"1.0.0"}',
    ],
  ])('%s', (_, config, expected) => {
    expect(configForCheck(config)).toBe(expected);
  });
});
