import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../embedded/api/api-server.ts';
import { ApiClient } from './api-client.ts';
import { defaultNamespace, loadUserKubeConfig } from './user-kube-config.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'dn-kubeconfig-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const config = (
  file: string,
  current: string,
  contexts: Record<string, { server: string; namespace?: string }>,
): string => {
  const path = join(dir, file);
  const value = {
    'current-context': current,
    clusters: Object.entries(contexts).map(([name, { server }]) => ({ name, cluster: { server } })),
    users: Object.keys(contexts).map((name) => ({ name, user: { token: `${file}-${name}` } })),
    contexts: Object.entries(contexts).map(([name, { namespace }]) => ({
      name,
      context: { cluster: name, user: name, namespace },
    })),
  };
  writeFileSync(path, JSON.stringify(value));
  return path;
};

describe('the kubeconfig of a person', () => {
  it('is merged of all files: the first one that says something counts, those that do not exist are skipped', () => {
    const one = config('one', '', { a: { server: 'https://one:1', namespace: 'shop' } });
    const two = config('two', 'a', { a: { server: 'https://two:2' }, b: { server: 'https://two:3' } });
    const merged = loadUserKubeConfig({ env: { KUBECONFIG: [join(dir, 'none'), one, two].join(delimiter) } });
    expect(merged.getCurrentCluster()?.server).toBe('https://one:1');
    expect(merged.getCurrentUser()?.token).toBe('one-a');
    expect(defaultNamespace(merged)).toBe('shop');
    const other = loadUserKubeConfig({ env: { KUBECONFIG: [one, two].join(delimiter) }, context: 'b' });
    expect(other.getCurrentCluster()?.server).toBe('https://two:3');
    expect(defaultNamespace(other)).toBe('default');
  });

  it.each([
    ['no file', () => ({ env: { HOME: dir } }), /no kubeconfig: .*config does not exist; set KUBECONFIG/],
    [
      'a flag that names no file',
      () => ({ path: join(dir, 'none'), env: {} }),
      /kubeconfig .*none cannot be read: ENOENT/,
    ],
    [
      'a context that is not there',
      () => ({ path: config('x', 'a', { a: { server: 'https://x:1' } }), context: 'z', env: {} }),
      /no context "z" \(it has a\)/,
    ],
    [
      'no current context',
      () => ({ path: config('y', '', { a: { server: 'https://x:1' } }), env: {} }),
      /no current context \(it has a\); choose one with --context/,
    ],
  ])('%s is an error that says what to do', (_name, options, message) => {
    expect(() => loadUserKubeConfig(options())).toThrow(message);
  });

  it('may get its credentials from a program', async () => {
    const server = await startApiServer({ tokens: ['from-the-program'] });
    const whole = JSON.parse(server.kubeconfig());
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'from-the-program' },
    };
    const script = `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`;
    whole.users[0].user = {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: ['-e', script],
        interactiveMode: 'Never',
      },
    };
    const path = join(dir, 'exec');
    writeFileSync(path, JSON.stringify(whole));
    const client = new ApiClient(loadUserKubeConfig({ path, env: {} }), { userAgent: 'test', requestTimeoutMs: 5000 });
    try {
      expect(await client.json({ method: 'GET', path: '/api/v1/namespaces' })).toMatchObject({ kind: 'NamespaceList' });
    } finally {
      client.close();
      await server.stop();
    }
  });
});
