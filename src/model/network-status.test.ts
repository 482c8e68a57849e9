import { describe, expect, it } from 'vitest';
import { formatNetworkStatus, parseNetworkStatus } from './network-status.ts';
import { defaultEntry, entry } from './test-builders.ts';

/** In the layout of Multus: entries indented by four spaces, joined by a comma, Go escapes in texts. */
const written = `[{
    "name": "kindnet",
    "interface": "eth0",
    "ips": [
        "10.244.0.7"
    ],
    "mac": "8a:5c:1b:8d:2f:11",
    "default": true,
    "dns": {},
    "gateway": [
        "10.244.0.1"
    ]
},{
    "name": "shop/blue",
    "interface": "net1",
    "ips": [
        "10.10.1.2"
    ],
    "mac": "ce:3b:7e:5c:0f:8e",
    "mtu": 1500,
    "dns": {
        "domain": "a\\u0026b\\u003c\\u003e"
    },
    "device-info": {
        "type": "pci",
        "version": "1.1.0",
        "pci": {
            "pci-address": "0000:65:00.2"
        }
    }
}]`;

describe('formatNetworkStatus', () => {
  it('writes, byte for byte, what Multus wrote', () => {
    const parsed = parseNetworkStatus(written);
    expect(parsed.state === 'read' && formatNetworkStatus(parsed.entries)).toBe(written);
  });

  it('keeps fields that it does not know, in their place', () => {
    const text = '[{\n    "name": "shop/blue",\n    "x-vendor": {\n        "a": 1\n    },\n    "dns": {}\n}]';
    const parsed = parseNetworkStatus(text);
    expect(parsed.state === 'read' && formatNetworkStatus(parsed.entries)).toBe(text);
  });

  it('writes an empty list as one', () => {
    expect(formatNetworkStatus([])).toBe('[]');
  });
});

describe('parseNetworkStatus', () => {
  it.each([
    ['no annotation', undefined],
    ['an empty one', ''],
    ['a blank one', ' \n'],
  ])('takes %s for absent: Multus is still at work', (_, text) => {
    expect(parseNetworkStatus(text)).toEqual({ state: 'absent' });
  });

  it.each([
    ['an empty list', '[]', []],
    ['entries as they are', JSON.stringify([defaultEntry, entry('blue@net1')]), [defaultEntry, entry('blue@net1')]],
    ['null where Go leaves a field out', '[{"name":"a","ips":null,"mac":null}]', [{ name: 'a', ips: null, mac: null }]],
  ])('reads %s', (_, text, entries) => {
    expect(parseNetworkStatus(text)).toEqual({ state: 'read', entries });
  });

  it.each([
    ['text that is no JSON', 'net1', 'is not valid JSON: "net1"'],
    ['an object', '{}', 'is not a list of status entries: "{}"'],
    ['null', 'null', 'is not a list of status entries'],
    ['a list of texts', '["net1"]', 'is not a list of status entries'],
    ['an entry without a name', '[{"interface":"net1"}]', 'is not a list of status entries'],
    ['a name that is a number', '[{"name":5}]', 'is not a list of status entries'],
    ['an interface that is a number', '[{"name":"a","interface":5}]', 'is not a list of status entries'],
    ['a MAC address that is a list', '[{"name":"a","mac":[]}]', 'is not a list of status entries'],
    ['addresses that are a text', '[{"name":"a","ips":"10.0.0.1"}]', 'is not a list of status entries'],
    ['addresses that are numbers', '[{"name":"a","ips":[5]}]', 'is not a list of status entries'],
    ['a default that is a text', '[{"name":"a","default":"true"}]', 'is not a list of status entries'],
    ['one bad entry among good ones', '[{"name":"a"},null]', 'is not a list of status entries'],
  ])('says that it cannot read %s', (_, text, message) => {
    expect(parseNetworkStatus(text)).toEqual({
      state: 'unreadable',
      message: expect.stringContaining(`k8s.v1.cni.cncf.io/network-status ${message}`),
    });
  });

  it('regression: a status of 100,000 levels is unreadable, instead of a stack overflow later on', () => {
    const deep = `[{"name":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;
    expect(parseNetworkStatus(deep).state).toBe('unreadable');
  });
});
