// Reading objects of the API as they come; views make something of them.
import type { ApiClient } from '../../kube/api-client.ts';
import { isNotFound } from '../../kube/api-error.ts';
import { isJsonObject } from '../../model/json.ts';
import { collectionPath, type ObjectRef, objectPath, type Resource } from './resources.ts';

const PAGE_SIZE = 500;

export interface Reader {
  readonly client: Pick<ApiClient, 'json'>;
  readonly signal: AbortSignal;
}

export const listObjects = async (
  { client, signal }: Reader,
  resource: Resource,
  { namespace, query = {} }: { readonly namespace?: string | undefined; readonly query?: Record<string, string> } = {},
): Promise<readonly unknown[]> => {
  const path = collectionPath(resource, namespace);
  const objects: unknown[] = [];
  let next = '';
  do {
    const page = { ...query, limit: String(PAGE_SIZE), ...(next !== '' && { continue: next }) };
    const list = await client.json({ method: 'GET', path, query: page, signal });
    if (!isJsonObject(list) || !Array.isArray(list['items']))
      throw new Error(`${path} answered something that is no list`);
    objects.push(...list['items']);
    next = continuationOf(list['metadata']);
  } while (next !== '');
  return objects;
};

const continuationOf = (metadata: unknown): string => {
  const token = isJsonObject(metadata) ? metadata['continue'] : undefined;
  return typeof token === 'string' ? token : '';
};

/** The same, or undefined where the cluster does not have this resource at all (a CRD that is not installed). */
export const findObjects = async (
  reader: Reader,
  resource: Resource,
  options: Parameters<typeof listObjects>[2] = {},
): Promise<readonly unknown[] | undefined> => {
  try {
    return await listObjects(reader, resource, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

export const findObject = async (
  { client, signal }: Reader,
  resource: Resource,
  ref: ObjectRef,
): Promise<unknown | undefined> => {
  try {
    return await client.json({ method: 'GET', path: objectPath(resource, ref), signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};
