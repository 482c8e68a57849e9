// What each verb does to the objects, once the request is parsed. No HTTP here; synchronous, so that every request
// sees and leaves a consistent store; where webhooks are asked between reading and writing, the write is made only if
// nobody wrote meanwhile. Watches are not among them: they do not end in one answer.

import { type Answer, answerJson, answerObject, answerStatus } from './answer.ts';
import { badRequest } from './api-error.ts';
import { applyPatch, checkPatchType } from './apply-patch.ts';
import { parseDeleteOptions } from './delete-options.ts';
import { listObjects } from './list-objects.ts';
import type { MemoryObjectStore } from './memory-object-store.ts';
import { parseObjectFilter } from './object-filter.ts';
import { listItemJson } from './object-json.ts';
import type { KubeObject, ObjectRef } from './object-store.ts';
import { checkJsonType, parseJson } from './read-body.ts';
import type { ResourceTarget } from './request-target.ts';
import { apiVersionOf } from './resource-registry.ts';
import type { Admitted } from './webhooks/admission-chain.ts';
import type { AdmissionQuestion } from './webhooks/webhook-match.ts';
import { decodeObject, prepareCreate, prepareUpdate } from './write-rules.ts';

export interface ResourceRequest {
  target: ResourceTarget;
  query: URLSearchParams;
  mediaType: string;
  body: string;
}

export interface VerbSettings {
  patchUidMismatch: 409 | 422;
}

export function act(store: MemoryObjectStore, request: ResourceRequest, settings: VerbSettings): Answer {
  const { target, query, body } = request;
  if (query.has('dryRun')) throw badRequest('the embedded API server does not support dryRun');
  switch (target.verb) {
    case 'list':
      return listObjects(store, target, query);
    case 'get':
      return answerObject(store.get(refOf(target)));
    case 'create':
      return create(store, request);
    case 'update':
    case 'patch':
      return answerObject(store.replace(refOf(target), changed(store, request, target.verb, settings)));
    case 'delete':
      return remove(store, target, body, query);
    case 'deletecollection':
      return removeCollection(store, target, body, query);
    case 'watch':
      throw new Error('a watch is opened, not answered');
  }
}

export type Admit = (question: Omit<AdmissionQuestion, 'user'>) => Promise<Admitted>;

/** A create, update or patch about which webhooks are asked. */
export async function actAdmitted(
  store: MemoryObjectStore,
  request: ResourceRequest,
  settings: VerbSettings,
  admit: Admit,
): Promise<Answer> {
  const { target, mediaType, body } = request;
  const { definition, namespace, subresource, verb } = target;
  const about = { definition, namespace, subresource };
  if (verb === 'create') {
    checkJsonType(mediaType);
    const object = decodeObject(definition, parseJson(body));
    const { object: given, warnings } = await admit({ ...about, operation: 'CREATE', object, oldObject: undefined });
    const created = store.create(definition.plural, prepareCreate(definition, namespace, given));
    return withWarnings(answerObject(created, 201), warnings);
  }
  const method = verb === 'patch' ? 'patch' : 'update';
  for (;;) {
    const stored = store.get(refOf(target));
    const object = changed(store, request, method, settings);
    const { object: next, warnings } = await admit({ ...about, operation: 'UPDATE', object, oldObject: stored });
    if (store.get(refOf(target)).metadata.resourceVersion !== stored.metadata.resourceVersion) continue;
    const allowed = prepareUpdate({ definition, stored, next, subresource, method, ...settings });
    return withWarnings(answerObject(store.replace(refOf(target), allowed)), warnings);
  }
}

const withWarnings = (answer: Answer, warnings: string[]): Answer =>
  warnings.length === 0 ? answer : { ...answer, warnings };

function create(store: MemoryObjectStore, { target, mediaType, body }: ResourceRequest): Answer {
  checkJsonType(mediaType);
  const object = decodeObject(target.definition, parseJson(body));
  return answerObject(
    store.create(target.definition.plural, prepareCreate(target.definition, target.namespace, object)),
    201,
  );
}

/** The object as it would be stored. */
function changed(
  store: MemoryObjectStore,
  { target, mediaType, body }: ResourceRequest,
  method: 'update' | 'patch',
  settings: VerbSettings,
): KubeObject {
  const { definition, subresource } = target;
  if (method === 'patch') checkPatchType(definition, mediaType);
  else checkJsonType(mediaType);
  const parsed = parseJson(body);
  const stored = store.get(refOf(target));
  const next =
    method === 'patch' ? applyPatch(definition, mediaType, stored, parsed) : decodeObject(definition, parsed);
  return prepareUpdate({ definition, stored, next, subresource, method, ...settings });
}

function remove(store: MemoryObjectStore, target: ResourceTarget, body: string, query: URLSearchParams): Answer {
  const { definition } = target;
  const { object, isGone } = store.remove(refOf(target), parseDeleteOptions(body, query));
  // Pods, and what still waits for finalizers, are answered with the object; what is gone with a Status.
  if (!isGone || definition.plural === 'pods') return answerObject(object);
  const { name, uid } = object.metadata;
  const group = definition.group === '' ? {} : { group: definition.group };
  const details = { name, ...group, kind: definition.plural, uid };
  return answerStatus({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }, 200);
}

function removeCollection(
  store: MemoryObjectStore,
  target: ResourceTarget,
  body: string,
  query: URLSearchParams,
): Answer {
  const { definition } = target;
  const filter = parseObjectFilter(target, query);
  const options = parseDeleteOptions(body, query);
  const removed = store
    .list(definition.plural, target.namespace)
    .filter((object) => filter.matches(object))
    .map((object) => store.remove({ ...refOf(target), ...locationOf(object) }, options).object);
  const metadata = JSON.stringify({ resourceVersion: String(store.resourceVersion) });
  const items = removed.map((object) => listItemJson(object, definition.builtin ?? false)).join(',');
  return answerJson(
    `{"kind":"${definition.kind}List","apiVersion":"${apiVersionOf(definition)}","metadata":${metadata},"items":[${items}]}`,
  );
}

const locationOf = ({ metadata }: KubeObject): { name: string; namespace?: string } => ({
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
});

const refOf = ({ definition, namespace, name }: ResourceTarget): ObjectRef => ({
  resource: definition.plural,
  name: name ?? '',
  ...(namespace === undefined ? {} : { namespace }),
});
