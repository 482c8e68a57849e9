// Objects of an installation that are no part of its namespace, by their names: all begin with ours.
import * as z from 'zod/mini';
import { findObjects, type Reader } from './read-objects.ts';
import {
  ADMISSION_BINDINGS,
  ADMISSION_POLICIES,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  MUTATING_WEBHOOKS,
  type Resource,
  VALIDATING_WEBHOOKS,
} from './resources.ts';

export interface OurObject {
  readonly resource: Resource;
  readonly name: string;
}

/** First: while they stand without a controller, they would keep pods from being created. */
export const WEBHOOKS: readonly Resource[] = [MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS];
/** Last: what our parts need as long as they run. Bindings before what they bind. */
export const RIGHTS: readonly Resource[] = [
  ADMISSION_BINDINGS,
  ADMISSION_POLICIES,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
];

const schema = z.object({ metadata: z.object({ name: z.string() }) });

export const listOurObjects = async (reader: Reader, resources: readonly Resource[]): Promise<readonly OurObject[]> => {
  const lists = await Promise.all(
    resources.map(async (resource) => ({ resource, objects: (await findObjects(reader, resource)) ?? [] })),
  );
  return lists.flatMap(({ resource, objects }) =>
    objects.flatMap((object) => {
      const parsed = schema.safeParse(object);
      const name = parsed.success ? parsed.data.metadata.name : '';
      return /^dynamic-networks(-|$)/.test(name) ? [{ resource, name }] : [];
    }),
  );
};
