// Requests with nothing but a token of an agent's service account, as a thief of that token would make them. Not kubectl: that
// reads an object before it patches it, and the agent has no right to read what it may patch.
import { request } from 'node:https';
import { agentDaemonSet, agentNamespace } from './install-agent.ts';
import type { PodRef } from './pods.ts';
import type { Kubectl } from './target.ts';

export type Answer = { readonly status: number; readonly message: string };

export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
};

export type Thief = (call: Call) => Promise<Answer>;

/** Tells its requests from those of the agents, in the API server's audit log. */
export const thiefAgent = 'e2e-thief';

type Kubeconfig = {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string };
  }[];
};

const textOf = (body: string): string => {
  try {
    const parsed: { readonly message?: string } = JSON.parse(body);
    return parsed.message ?? body;
  } catch {
    return body;
  }
};

/** `boundTo`: the agent's pod, as the kubelet asks for its token; undefined for a token that is bound to nothing. */
export const stealToken = async (admin: Kubectl, boundTo: PodRef | undefined): Promise<Thief> => {
  const bound =
    boundTo === undefined
      ? []
      : ['--bound-object-kind=Pod', `--bound-object-name=${boundTo.name}`, `--bound-object-uid=${boundTo.uid}`];
  const token = (await admin.run(['-n', agentNamespace, 'create', 'token', agentDaemonSet, ...bound])).trim();
  const view: Kubeconfig = JSON.parse(
    await admin.run(['config', 'view', '--raw', '--minify', '--flatten', '--output', 'json']),
  );
  const cluster = view.clusters[0]?.cluster;
  const ca = Buffer.from(cluster?.['certificate-authority-data'] ?? '', 'base64').toString();

  return ({ method, path, body, contentType = 'application/json' }) =>
    new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        'User-Agent': thiefAgent,
        ...(body !== undefined && { 'Content-Type': contentType }),
      };
      const sent = request(new URL(path, cluster?.server), { method, ca, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, message: textOf(Buffer.concat(chunks).toString()) }),
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
};
