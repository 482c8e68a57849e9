// Kubeconfigs with everything inside, written as JSON, which is YAML too.
import type { KeyPair } from './certificates.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const makeKubeconfig = (options: {
  readonly server: string;
  readonly authority: string;
  readonly client: KeyPair;
  readonly user: string;
}): string => {
  const { server, authority, client, user } = options;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'dynamic-networks', cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
      },
    ],
    contexts: [{ name: 'dynamic-networks', context: { cluster: 'dynamic-networks', user } }],
    'current-context': 'dynamic-networks',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
};
