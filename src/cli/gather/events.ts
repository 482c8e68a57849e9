// Events of the agent and the controller, and of others about the same objects.
import * as z from 'zod/mini';
import { listObjects, type Reader } from './read-objects.ts';
import { EVENTS } from './resources.ts';

export interface ClusterEvent {
  readonly resourceVersion: string;
  readonly key: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string | undefined;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly source: string;
  /** RFC 3339, of the last repetition. */
  readonly lastSeen: string | undefined;
}

const text = z.optional(z.nullable(z.string()));

const schema = z.object({
  metadata: z.object({ name: z.string(), namespace: text, resourceVersion: z.string(), creationTimestamp: text }),
  involvedObject: z.object({ kind: text, name: text, namespace: text, uid: text }),
  type: text,
  reason: text,
  message: text,
  count: z.optional(z.nullable(z.number())),
  lastTimestamp: text,
  eventTime: text,
  source: z.optional(z.nullable(z.object({ component: text }))),
  reportingComponent: text,
});

export const viewEvent = (object: unknown): ClusterEvent | undefined => {
  const parsed = schema.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, involvedObject: about, ...event } = parsed.data;
  return {
    resourceVersion: metadata.resourceVersion,
    key: `${metadata.namespace ?? ''}/${metadata.name}`,
    namespace: about.namespace ?? metadata.namespace ?? '',
    kind: about.kind ?? '',
    name: about.name ?? '',
    uid: about.uid ?? undefined,
    type: event.type ?? 'Normal',
    reason: event.reason ?? '',
    message: event.message ?? '',
    count: event.count ?? 1,
    source: event.source?.component || event.reportingComponent || '',
    lastSeen: event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? undefined,
  };
};

export const listEvents = async (
  reader: Reader,
  namespace: string | undefined,
  query: Record<string, string> = {},
): Promise<readonly ClusterEvent[]> =>
  (await listObjects(reader, EVENTS, { namespace, query })).flatMap((object) => viewEvent(object) ?? []);

/** Times have whole seconds: within one, the later write is the later event. */
export const byTime = (a: ClusterEvent, b: ClusterEvent): number =>
  Date.parse(a.lastSeen ?? '') - Date.parse(b.lastSeen ?? '') ||
  Number(a.resourceVersion) - Number(b.resourceVersion) ||
  (a.key < b.key ? -1 : 1);

export const isOurs = ({ source }: ClusterEvent): boolean => source.startsWith('dynamic-networks');
