// From what a client sent to what is stored: which parts a create, an update and a status update may touch, and
// when they are refused. Pure; the store adds versions and timestamps.

import { badRequest, conflict, invalid, staleVersion } from './api-error.ts';
import { invalidValue, metadataProblems, nameProblems } from './metadata-rules.ts';
import { isKubeObject, shapeProblem } from './object-shape.ts';
import type { KubeObject, NewKubeObject } from './object-store.ts';
import { podSpecProblems } from './pod-spec-rules.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-registry.ts';

/** Takes a POST or PUT body as an object of the given resource. */
export function decodeObject(definition: ResourceDefinition, body: unknown): KubeObject {
  const apiVersion = apiVersionOf(definition);
  // A body without metadata is an object without a name, which is for the validation to refuse.
  const object = typeof body === 'object' && body !== null && !('metadata' in body) ? { ...body, metadata: {} } : body;
  if (!isKubeObject(object)) {
    const why = shapeProblem(object);
    throw badRequest(
      `${definition.kind} in version "${definition.version}" cannot be handled as a ${definition.kind}: ${why}`,
    );
  }
  checkType(definition, object);
  return { ...object, kind: definition.kind, apiVersion };
}

function checkType(definition: ResourceDefinition, object: KubeObject): void {
  const apiVersion = apiVersionOf(definition);
  if ((object.apiVersion ?? apiVersion) !== apiVersion) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if ((object.kind ?? definition.kind) !== definition.kind) {
    throw badRequest(`the kind in the data (${object.kind}) does not match the expected kind (${definition.kind})`);
  }
}

export function prepareCreate(
  definition: ResourceDefinition,
  namespace: string | undefined,
  object: KubeObject,
): NewKubeObject {
  const { uid: _uid, resourceVersion, ...given } = object.metadata;
  if (resourceVersion !== undefined && resourceVersion !== '') {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  checkNamespace(object, namespace);
  const problems = [...nameProblems(given), ...metadataProblems(given)];
  if (problems.length > 0) throw invalid(definition, given.name ?? '', problems);
  const { status: _status, ...withoutStatus } = object;
  const metadata = { ...given, ...(namespace === undefined ? {} : { namespace }) };
  if (!definition.statusSubresource) return { ...object, metadata };
  if (definition.plural !== 'pods') return { ...withoutStatus, metadata };
  return { ...withoutStatus, metadata, status: { phase: 'Pending', qosClass: 'BestEffort' } };
}

export interface UpdateRequest {
  definition: ResourceDefinition;
  stored: KubeObject;
  next: KubeObject;
  subresource: string | undefined;
  method: 'update' | 'patch';
  /** What a PATCH that names another uid is answered with: see ApiServerOptions. */
  patchUidMismatch: 409 | 422;
}

export function prepareUpdate(request: UpdateRequest): KubeObject {
  const { definition, stored, next, subresource } = request;
  checkType(definition, next);
  checkIdentity(request);
  const allowed =
    subresource === 'status' ? statusUpdate(definition, stored, next) : mainUpdate(definition, stored, next);
  const problems = metadataProblems(allowed.metadata, stored.metadata);
  if (definition.plural === 'pods') problems.push(...podSpecProblems(allowed.spec, stored.spec));
  if (problems.length > 0) throw invalid(definition, stored.metadata.name, problems);
  return allowed;
}

/** Pods keep changes of labels and annotations through /status but never of owners; CRDs keep only the status. */
function statusUpdate(definition: ResourceDefinition, stored: KubeObject, next: KubeObject): KubeObject {
  const { status: _status, ...kept } = stored;
  const status = next.status === undefined ? {} : { status: next.status };
  if (!definition.builtin) return { ...kept, ...status };
  const { ownerReferences: _owners, ...metadata } = next.metadata;
  const owners = stored.metadata.ownerReferences;
  if (definition.plural !== 'pods') return { ...kept, metadata: next.metadata, ...status };
  return {
    ...kept,
    metadata: { ...metadata, ...(owners === undefined ? {} : { ownerReferences: owners }) },
    ...status,
  };
}

function mainUpdate(definition: ResourceDefinition, stored: KubeObject, next: KubeObject): KubeObject {
  if (!definition.statusSubresource) return next;
  const { status: _status, ...changed } = next;
  return { ...changed, ...(stored.status === undefined ? {} : { status: stored.status }) };
}

function checkIdentity({ definition, stored, next, method, patchUidMismatch }: UpdateRequest): void {
  const { name, namespace, uid, resourceVersion } = stored.metadata;
  if ((next.metadata.name ?? '') !== name) {
    throw badRequest(
      `the name of the object (${next.metadata.name ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  checkNamespace(next, namespace);
  const askedUid = next.metadata.uid ?? '';
  if (askedUid !== '' && askedUid !== uid) {
    if (method === 'patch' && patchUidMismatch === 422) {
      throw invalid(definition, name, [invalidValue('metadata.uid', askedUid, 'field is immutable')]);
    }
    const key = ['/registry', definition.group, definition.plural, namespace, name].filter((part) => part).join('/');
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${askedUid}, UID in object meta: ${uid}`;
    throw conflict(definition, name, why);
  }
  const askedVersion = next.metadata.resourceVersion ?? '';
  if (askedVersion === '' && method === 'update' && !definition.unconditionalUpdate) {
    throw invalid(definition, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  if (askedVersion !== '' && askedVersion !== resourceVersion) throw staleVersion(definition, name);
}

function checkNamespace(object: KubeObject, namespace: string | undefined): void {
  const given = object.metadata.namespace;
  if (namespace !== undefined && given !== undefined && given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
