import { expect, it } from 'vitest';
import { redact, redactText } from './redact.ts';

it.each(['password', 'authToken', 'clientSecret', 'kubeconfig', 'apiKey', 'privateKey', 'credentials'])(
  'leaves out %s',
  (key) => {
    expect(redact({ a: [{ [key]: 'hunter2' }] })).toEqual({ a: [{ [key]: '(left out)' }] });
  },
);

it('keeps what is needed, and nothing of a text that it cannot read', () => {
  const config = '{"type":"bridge","ipam":{"type":"host-local","subnet":"10.0.0.0/24"}}';
  expect(redactText(config)).toBe(config);
  expect(redactText('password=hunter2')).toBe('(not JSON: left out)');
});
