import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TopologyMessage } from './topology.ts';
import { startUiServer, type UiServer } from './ui-server.ts';

let server: UiServer;
let port: number;
const listeners = new Set<(message: TopologyMessage) => void>();
beforeAll(async () => {
  server = await startUiServer({
    assets: { html: '<p>{{token}}</p>', script: 'script', style: 'style' },
    token: 'secret',
    port: 0,
    subscribe: (listener) => {
      listeners.add(listener);
      listener({ type: 'health', problems: [] });
      return () => listeners.delete(listener);
    },
    timeline: async (_namespace, pod) => {
      if (pod === 'broken') throw new Error('events may not be read');
      return [{ type: 'Normal', reason: 'AddedInterface', message: pod, count: 1, source: 's' }];
    },
  });
  port = Number(new URL(server.url).port);
});
afterAll(() => server.close());

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

const ask = ({ path, method = 'GET', headers = {} }: Asked) =>
  new Promise<{ status: number | undefined; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => {
        body += chunk;
        if (path.startsWith('/stream')) answer.destroy();
      });
      answer.on('close', () => resolve({ status: answer.statusCode, body, headers: answer.headers }));
    });
    asked.on('error', reject);
    asked.end();
  });

describe('the server of the page', () => {
  it('listens on the loopback only, and its address has the token', () => {
    expect(server.url).toBe(`http://127.0.0.1:${port}/?token=secret`);
  });

  it.each<[string, Asked, number]>([
    ['the page', { path: '/?token=secret' }, 200],
    ['the page by the name localhost', { path: '/?token=secret', headers: { host: 'localhost:{port}' } }, 200],
    ['the script', { path: '/app.js?token=secret' }, 200],
    ['the style', { path: '/style.css?token=secret' }, 200],
    ['the stream', { path: '/stream?token=secret' }, 200],
    ['a timeline', { path: '/timeline?token=secret&namespace=a&pod=web' }, 200],
    ['a timeline that cannot be read', { path: '/timeline?token=secret&namespace=a&pod=broken' }, 502],
    ['no token', { path: '/' }, 401],
    ['a wrong token', { path: '/stream?token=secreT' }, 401],
    ['a token that only begins so', { path: '/stream?token=sec' }, 401],
    ['the script without a token', { path: '/app.js' }, 401],
    ['another host, as by DNS rebinding', { path: '/?token=secret', headers: { host: 'evil.example:{port}' } }, 421],
    ['the right host with another port', { path: '/?token=secret', headers: { host: '127.0.0.1:1' } }, 421],
    ['a page of another site', { path: '/stream?token=secret', headers: { origin: 'https://evil.example' } }, 403],
    ['a write', { path: '/?token=secret', method: 'POST' }, 405],
    ['anything else', { path: '/etc/passwd?token=secret' }, 404],
  ])('answers %s', async (_name, asked, status) => {
    const headers = Object.fromEntries(
      Object.entries(asked.headers ?? {}).map(([key, value]) => [key, value.replace('{port}', String(port))]),
    );
    const answer = await ask({ ...asked, headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    if (status === 401) expect(answer.body).not.toContain('secret');
  });

  it('forgets a listener that went away', async () => {
    expect((await ask({ path: '/stream?token=secret' })).body).toBe('data: {"type":"health","problems":[]}\n\n');
    await expect.poll(() => listeners.size).toBe(0);
  });
});
