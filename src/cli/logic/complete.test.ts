import { describe, expect, it } from 'vitest';
import { argumentKinds, type CommandShape, complete, type OptionShape } from './complete.ts';

const option = (takesValue: boolean, ...flags: string[]): OptionShape => ({ flags, takesValue, description: '' });
const globals = [
  option(true, '-n', '--namespace'),
  option(false, '-A', '--all-namespaces'),
  option(true, '--context'),
  option(true, '-o', '--output'),
];
const command = (name: string, ...options: OptionShape[]): CommandShape => ({
  name,
  summary: '',
  arguments: argumentKinds(name),
  options,
});
const commands = [
  command('plug', option(true, '--interface'), option(false, '--wait')),
  command('unplug'),
  command('wait', option(true, '--for')),
  command('plan', option(true, '-f', '--filename')),
  command('addinterface', option(true, '--network-name')),
  command('pools'),
  command('completion'),
];

describe('what could come next', () => {
  it.each<[string, unknown]>([
    ['', ['plug', 'unplug', 'wait', 'plan', 'addinterface', 'pools', 'completion']],
    ['-n shop ', ['plug', 'unplug', 'wait', 'plan', 'addinterface', 'pools', 'completion']],
    ['plug ', 'pod'],
    ['-n shop plug ', 'pod'],
    ['plug web ', 'network'],
    ['plug --wait web ', 'network'],
    ['plug --interface b0 web ', 'network'],
    ['plug web blue ', []],
    ['plug web blue -', ['--interface', '--wait', '--namespace', '--all-namespaces', '--context', '--output']],
    ['plug -n ', 'namespace'],
    ['plug --context ', { from: 'kubeconfig' }],
    ['plan web -f ', { from: 'files' }],
    ['unplug web ', 'interface of web'],
    ['wait web b0 ', 'interface of web'],
    ['wait web --for ', ['ready', 'gone']],
    ['plug -o ', ['table', 'wide', 'json', 'yaml']],
    ['addinterface vm-a --network-name ', 'network of vm-a'],
    ['pools ', []],
    ['nonsense ', []],
    ['completion ', ['bash', 'zsh', 'fish', 'kubectl']],
  ])('%j', (line, expected) => {
    const wanted = complete(line.split(' '), commands, globals);
    if (wanted.from === 'here') expect(wanted.values.map(({ value }) => value)).toEqual(expected);
    else if (wanted.from === 'cluster') expect(String(expected).startsWith(wanted.kind)).toBe(true);
    else expect(wanted).toEqual(expected);
  });

  it('asks for the interfaces of the pod that was named', () => {
    expect(complete(['unplug', 'web', ''], commands, globals)).toEqual({
      from: 'cluster',
      kind: 'interface',
      pod: 'web',
    });
  });
});
