// LIST: selection, paging and the versions of the list.
// All pages of one list show the cluster as it was at the first page, as etcd does; a `continue` token from before
// the known history is refused with 410 and a token for the inconsistent rest.

import { type Answer, answerJson } from './answer.ts';
import { badRequest, expired, invalid, tooLargeResourceVersion } from './api-error.ts';
import { isRecord } from './frozen-json.ts';
import type { MemoryObjectStore } from './memory-object-store.ts';
import { type ObjectFilter, parseObjectFilter } from './object-filter.ts';
import { listItemJson } from './object-json.ts';
import type { KubeObject } from './object-store.ts';
import type { ResourceTarget } from './request-target.ts';
import { apiVersionOf } from './resource-registry.ts';

interface Page {
  resourceVersion: number;
  /** Key of the last object of the page before. */
  after?: string;
}

const tooOldContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

export function listObjects(store: MemoryObjectStore, target: ResourceTarget, query: URLSearchParams): Answer {
  const { definition } = target;
  const filter = parseObjectFilter(target, query);
  const page = parsePage(store, query);
  const after = page.after;
  const wanted = objectsOf(store, target, filter, page.resourceVersion).filter(
    (object) => after === undefined || keyOf(object) > after,
  );
  const limit = parseCount(query, 'limit');
  const items = limit === 0 ? wanted : wanted.slice(0, limit);
  const last = items.at(-1);
  const rest = wanted.length - items.length;
  const metadata = {
    resourceVersion: String(page.resourceVersion),
    ...(rest > 0 && last !== undefined ? { continue: token({ ...page, after: keyOf(last) }) } : {}),
    ...(rest > 0 && !filter.isSelective ? { remainingItemCount: rest } : {}),
  };
  const head = `{"kind":"${definition.kind}List","apiVersion":"${apiVersionOf(definition)}","metadata":${JSON.stringify(metadata)}`;
  const texts = items.map((object) => listItemJson(object, definition.builtin ?? false));
  return answerJson(`${head},"items":[${texts.join(',')}]}`);
}

function objectsOf(
  store: MemoryObjectStore,
  target: ResourceTarget,
  filter: ObjectFilter,
  resourceVersion: number,
): KubeObject[] {
  const { plural } = target.definition;
  const all =
    resourceVersion === store.resourceVersion
      ? store.list(plural, target.namespace)
      : store.listAt(plural, target.namespace, resourceVersion);
  return filter.isSelective ? all.filter((object) => filter.matches(object)) : all;
}

function parsePage(store: MemoryObjectStore, query: URLSearchParams): Page {
  const continueText = query.get('continue') ?? '';
  const asked = parseResourceVersion(query);
  const match = query.get('resourceVersionMatch') ?? '';
  if (continueText !== '') {
    const page = parseToken(continueText);
    if (page.resourceVersion < store.oldestResumable) {
      const { after } = page;
      throw expired(
        tooOldContinue,
        token({ resourceVersion: store.resourceVersion, ...(after === undefined ? {} : { after }) }),
      );
    }
    return page;
  }
  if (asked === undefined && match !== '') {
    const message = 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
    const listOptions = { group: 'meta.k8s.io', plural: '', kind: 'ListOptions' };
    throw invalid(listOptions, '', [{ reason: 'FieldValueForbidden', message, field: 'resourceVersionMatch' }]);
  }
  if (asked !== undefined && asked > store.resourceVersion) {
    throw tooLargeResourceVersion(asked, store.resourceVersion);
  }
  // Anything but "exactly" is satisfied by the present, which is never older than what was asked.
  return { resourceVersion: match === 'Exact' && asked !== undefined ? asked : store.resourceVersion };
}

export function parseResourceVersion(query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (!/^\d+$/.test(text))
    throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: must be a number`);
  return Number(text);
}

export function parseCount(query: URLSearchParams, parameter: string): number {
  const text = query.get(parameter) ?? '';
  if (text === '') return 0;
  if (!/^\d+$/.test(text)) throw badRequest(`${parameter}: Invalid value: ${JSON.stringify(text)}: must be a number`);
  return Number(text);
}

const keyOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;

const token = (page: Page): string => Buffer.from(JSON.stringify(page)).toString('base64url');

function parseToken(text: string): Page {
  try {
    const page: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (isRecord(page) && typeof page['resourceVersion'] === 'number') {
      const { resourceVersion, after } = page;
      return { resourceVersion, ...(typeof after === 'string' ? { after } : {}) };
    }
  } catch {
    // Answered below, as any other token that is not ours.
  }
  throw badRequest('continue key is not valid: illegal base64 data or unknown format');
}
