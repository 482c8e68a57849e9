import { expect, it } from 'vitest';
import { readLogLine } from './log-line.ts';

it('is a message, its details and its cause', () => {
  const line = {
    level: 'warn',
    time: 't',
    role: 'agent',
    node: 'n',
    podUid: 'u',
    iface: 'net1',
    attempts: 2,
    err: { message: 'refused' },
    msg: 'attaching failed',
  };
  expect(readLogLine(JSON.stringify(line))).toEqual({
    level: 'warn',
    text: 'warn  attaching failed iface=net1 attempts=2 (refused)',
  });
});

it.each(['Error: out of memory', '[1]', ''])('what is not a log line stays as it is: %j', (line) => {
  expect(readLogLine(line)).toEqual({ level: 'raw', text: line });
});
