import { describe, expect, it } from 'vitest';
import { bootScript, serviceScript } from './services.ts';

describe('serviceScript', () => {
  it('quotes every word, so that the shell changes nothing', () => {
    expect(serviceScript(['program', '--flag=a b', "it's", '$HOME'])).toBe(
      "exec 'program' '--flag=a b' 'it'\\''s' '$HOME'\n",
    );
  });
});

describe('bootScript', () => {
  it('routes to the pods of the other node only', () => {
    const script = bootScript('worker', { 'control-plane': '192.0.2.1', worker: '192.0.2.2' });
    expect(script).toContain('ip route replace 10.244.0.0/24 via 192.0.2.1');
    expect(script).not.toContain('via 192.0.2.2');
  });
});
