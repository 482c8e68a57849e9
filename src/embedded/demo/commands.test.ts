import { expect, it } from 'vitest';
import { type Command, parseCommand } from './commands.ts';

it.each<[string, Command]>([
  ['', { kind: 'nothing' }],
  ['  show ', { kind: 'show' }],
  ['plug blue', { kind: 'plug', network: 'blue' }],
  ['plug infra/storage@data0', { kind: 'plug', network: 'infra/storage', interface: 'data0' }],
  [
    'plug blue mac=02:00:00:00:00:01 ip=10.10.1.9/24',
    { kind: 'plug', network: 'blue', ip: '10.10.1.9/24', mac: '02:00:00:00:00:01' },
  ],
  ['unplug net1', { kind: 'unplug', interface: 'net1' }],
  ['edit blue@net1, red', { kind: 'edit', text: 'blue@net1, red' }],
  [`edit '[{"name":"blue"}]'`, { kind: 'edit', text: '[{"name":"blue"}]' }],
  ['edit', { kind: 'edit', text: undefined }],
  ['faults multus down', { kind: 'multusDown' }],
  ['faults multus up', { kind: 'multusUp' }],
  ['faults multus slow 250', { kind: 'multusSlow', ms: 250 }],
  ['kill agent', { kind: 'killAgent' }],
  ['delete pod', { kind: 'deletePod' }],
  ['new pod', { kind: 'newPod', networks: undefined }],
  ['new pod blue, red', { kind: 'newPod', networks: 'blue, red' }],
  ['quit', { kind: 'quit' }],
  ['exit', { kind: 'quit' }],
])('%j', (line, command) => {
  expect(parseCommand(line)).toEqual(command);
});

it.each([
  ['plgu blue', /no command "plgu"; known: plug, unplug/],
  ['plug', /usage: plug NETWORK/],
  ['plug a@b@c', /usage: plug NETWORK/],
  ['plug blue vlan=3', /"vlan=3" is neither ip=ADDRESS nor mac=MAC/],
  ['plug blue ip=1 ip=2', /ip is given twice/],
  ['unplug', /usage: unplug IFACE/],
  ['unplug net1 net2', /usage: unplug IFACE/],
  ['faults', /usage: faults multus down/],
  ['faults multus slow', /usage: faults multus down/],
  ['faults multus slow soon', /milliseconds from 0 to 60000, got "soon"/],
  ['kill -9', /usage: kill agent/],
  ['delete node', /usage: delete pod/],
  ['new', /usage: new pod/],
  ['show me', /show takes no argument, got "me"/],
])('%j is a mistake, and the answer helps', (line, message) => {
  expect(parseCommand(line)).toEqual({ kind: 'mistake', message: expect.stringMatching(message) });
});
