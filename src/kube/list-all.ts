// Every object of a kind, as the server has them at this moment: a read that sees every write that was answered before it.
import { KnownError } from '../model/errors.ts';
import { isJsonObject } from '../model/json.ts';
import type { ApiClient } from './api-client.ts';
import { type Resource, resourcePath } from './resource.ts';

const PAGE_SIZE = 500;

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
}

/** Without a resourceVersion the server answers with the newest state, all pages with that of the first. */
export async function* listAll(
  client: Pick<ApiClient, 'json'>,
  resource: Resource,
  { namespace, labelSelector, signal }: ListOptions,
): AsyncGenerator<unknown> {
  const path = resourcePath(resource, namespace === undefined ? {} : { namespace });
  let next: string | undefined;
  do {
    const query = {
      limit: String(PAGE_SIZE),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(next !== undefined && { continue: next }),
    };
    const page = await readPage(client, resource, { path, query, signal });
    yield* page.items;
    next = page.next;
  } while (next !== undefined);
}

const readPage = async (
  client: Pick<ApiClient, 'json'>,
  { plural }: Resource,
  request: { readonly path: string; readonly query: Record<string, string>; readonly signal: AbortSignal },
): Promise<{ readonly items: readonly unknown[]; readonly next: string | undefined }> => {
  try {
    const list = await client.json({ method: 'GET', ...request });
    const { items, metadata } = isJsonObject(list) ? list : {};
    const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
    return {
      items: Array.isArray(items) ? items : [],
      next: typeof next === 'string' && next !== '' ? next : undefined,
    };
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new KnownError('apiUnreachable', `${plural} cannot be listed: ${detail}`, { cause });
  }
};
