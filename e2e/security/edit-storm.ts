// As many edits of one pod as the API server takes, over connections that stay open: nothing is started per edit, so the limit is
// the server's. Bounded in number and in time.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { networksAnnotation, type PodRef } from '../pods.ts';

export type StormLimits = { readonly maxEdits: number; readonly maxMs: number; readonly connections: number };

export type Storm = {
  /** Edits that the API server took, and those that it answered otherwise, by status. */
  readonly taken: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly durationMs: number;
};

type Kubeconfig = {
  readonly clusters: readonly { cluster: { server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { user: { 'client-certificate-data': string; 'client-key-data': string } }[];
};

const poolOf = (kubeconfigPath: string, connections: number): Pool => {
  const { clusters, users }: Kubeconfig = JSON.parse(readFileSync(kubeconfigPath, 'utf8'));
  const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
  if (cluster === undefined || user === undefined) throw new Error(`${kubeconfigPath}: no cluster, or no user`);
  const decode = (data: string): string => Buffer.from(data, 'base64').toString();
  return new Pool(cluster.server, {
    connections,
    pipelining: 1,
    connect: {
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    },
  });
};

/** `textOf`: the annotation of the n-th edit. */
export const rage = async (
  kubeconfigPath: string,
  { namespace, name }: PodRef,
  textOf: (edit: number) => string,
  { maxEdits, maxMs, connections }: StormLimits,
): Promise<Storm> => {
  const pool = poolOf(kubeconfigPath, connections);
  const refused: Record<string, number> = {};
  let [sent, taken] = [0, 0];
  const began = performance.now();
  const attacker = async (): Promise<void> => {
    while (sent < maxEdits && performance.now() - began < maxMs) {
      sent += 1;
      const { statusCode, body } = await pool.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/pods/${name}`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { annotations: { [networksAnnotation]: textOf(sent) } } }),
      });
      await body.dump();
      if (statusCode === 200) taken += 1;
      else refused[statusCode] = (refused[statusCode] ?? 0) + 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, attacker));
    return { taken, refused, durationMs: performance.now() - began };
  } finally {
    await pool.close();
  }
};
