// A kubeconfig for the embedded API server, as JSON text, which is YAML too.

export function makeKubeconfig(options: { url: string; caPem: string; token: string; namespace?: string }): string {
  const name = 'embedded';
  const cluster = {
    server: options.url,
    'certificate-authority-data': Buffer.from(options.caPem).toString('base64'),
  };
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name, user: { token: options.token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: options.namespace ?? 'default' } }],
      'current-context': name,
    },
    null,
    2,
  );
}
