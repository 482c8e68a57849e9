import { describe, expect, it } from 'vitest';
import { parseAddReply } from './delegate-reply.ts';

const empty = { interfaces: [], ips: [], routes: [], dns: {} };

describe('parseAddReply', () => {
  it.each([
    ['nothing at all', '', empty],
    ['an empty object', '{}', empty],
    ['no result', '{"Result":null}', empty],
    ['lists that Go writes as null', '{"Result":{"interfaces":null,"ips":null,"routes":null,"dns":null}}', empty],
    [
      'a result of CNI 1.1.0',
      '{"Result":{"cniVersion":"1.1.0","interfaces":[{"name":"net1","mac":"m","mtu":1500,"sandbox":"/ns","pciID":"p"}],"ips":[{"interface":0,"address":"10.0.0.5/24","gateway":"10.0.0.1"}],"routes":[{"dst":"0.0.0.0/0","gw":"10.0.0.1"},{"dst":"::/0"}],"dns":{"nameservers":["10.0.0.53"],"domain":"a","search":["b"],"options":["c"]}}}',
      {
        interfaces: [{ name: 'net1', mac: 'm', mtu: 1500, sandbox: '/ns', pciID: 'p' }],
        ips: [{ address: '10.0.0.5/24', gateway: '10.0.0.1', interface: 0 }],
        routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }, { dst: '::/0' }],
        dns: { nameservers: ['10.0.0.53'], domain: 'a', search: ['b'], options: ['c'] },
      },
    ],
    [
      'an address without an index',
      '{"Result":{"ips":[{"address":"a","interface":null}]}}',
      { ...empty, ips: [{ address: 'a' }] },
    ],
    [
      'a route without a gateway',
      '{"Result":{"routes":[{"dst":"a","gw":null}]}}',
      { ...empty, routes: [{ dst: 'a' }] },
    ],
    [
      'empty parts of the DNS, which Go leaves out',
      '{"Result":{"dns":{"nameservers":[],"domain":"","search":null}}}',
      empty,
    ],
    ['unknown parts of the DNS, which Go does not read', '{"Result":{"dns":{"x":[[[]]]}}}', empty],
  ])('reads %s', (_, text, expected) => {
    expect(parseAddReply(text)).toEqual(expected);
  });

  it.each([
    ['text', 'ok'],
    ['a list', '[]'],
    ['a result that is a text', '{"Result":"ok"}'],
    ['an interface without a name', '{"Result":{"interfaces":[{}]}}'],
    ['an index that is a text', '{"Result":{"ips":[{"address":"a","interface":"0"}]}}'],
    ['a route without a destination', '{"Result":{"routes":[{}]}}'],
    ['name servers that are numbers', '{"Result":{"dns":{"nameservers":[5]}}}'],
  ])('throws on %s', (_, text) => {
    expect(() => parseAddReply(text)).toThrow();
  });
});
