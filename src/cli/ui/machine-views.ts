// Nodes and virtual machines, as far as the page shows them.
import * as z from 'zod/mini';
import type { TopologyNode, TopologyVm } from './topology.ts';
import type { Viewed } from './watched-part.ts';

const metadata = z.object({ name: z.string(), namespace: z.optional(z.string()), resourceVersion: z.string() });

const nodeSchema = z.object({
  metadata,
  status: z.optional(z.object({ conditions: z.optional(z.array(z.object({ type: z.string(), status: z.string() }))) })),
});

export const viewNode = (object: unknown): Viewed<TopologyNode> | undefined => {
  const parsed = nodeSchema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata: header, status } = parsed.data;
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  const part = { key: header.name, ready: condition === undefined || condition.status === 'True' };
  return { resourceVersion: header.resourceVersion, key: header.name, part };
};

const vmSchema = z.object({ metadata, status: z.optional(z.object({ printableStatus: z.optional(z.string()) })) });

export const viewVm = (object: unknown): Viewed<TopologyVm> | undefined => {
  const parsed = vmSchema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata: header, status } = parsed.data;
  const key = `${header.namespace ?? ''}/${header.name}`;
  return { resourceVersion: header.resourceVersion, key, part: { key, state: status?.printableStatus ?? 'Unknown' } };
};
