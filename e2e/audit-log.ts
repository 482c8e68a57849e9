// What accounts of the product asked the API server for, as its own audit log has it (e2e/cluster/services.ts).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClusterState, clusterDir } from './cluster/cluster-state.ts';

export type AuditedRequest = {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
};

/** The node's log folder is one of this machine. Rotated files are read too. */
export const readAuditLog = async ({ name }: ClusterState): Promise<readonly AuditedRequest[]> => {
  const folder = join(clusterDir(name), 'control-plane', 'log');
  const files = (await readdir(folder)).filter((file) => /^audit.*\.log$/.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    text.split('\n').flatMap((line) => {
      if (!line.endsWith('}')) return []; // being written
      const request: AuditedRequest = JSON.parse(line);
      return [request];
    }),
  );
};

/** `group/resource[/subresource] verb`, as a rule of RBAC would allow it. */
export const rightOf = ({ verb, objectRef = {} }: AuditedRequest): string => {
  const { apiGroup = '', resource = '', subresource } = objectRef;
  return `${apiGroup}/${resource}${subresource ? `/${subresource}` : ''} ${verb}`;
};
