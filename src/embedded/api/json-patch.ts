// JSON patch, RFC 6902, with the answers of the real server: a body that is no patch is a bad request, a patch that
// does not apply (a failed `test` among them) is "unprocessable".

import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { ApiError, badRequest, patchDoesNotApply } from './api-error.ts';
import { isRecord, isUnsafeKey, jsonEqual, mutableCopy } from './frozen-json.ts';

const maxOperations = 10_000;
const operationNames = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

export function applyJsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  if (patch.length > maxOperations) {
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  let document = mutableCopy(target);
  for (const operation of patch) document = applyOperation(document, operation);
  return document;
}

function applyOperation(document: unknown, operation: unknown): unknown {
  if (!isOperation(operation)) throw patchDoesNotApply();
  if (operation.op === 'test') {
    // The real server takes a test for null as "is absent or null", which the library does not.
    const found = findByPointer(document, operation.path);
    if (!found.hasParent || !jsonEqual(found.value ?? null, operation.value ?? null)) throw patchDoesNotApply();
    return document;
  }
  if ('from' in operation && findByPointer(document, operation.from).value === undefined) throw patchDoesNotApply();
  // A pointer through something inherited (`constructor`) must not reach the objects of the runtime.
  if (!findByPointer(document, operation.path).hasParent) throw patchDoesNotApply();
  try {
    return fastJsonPatch.applyOperation(document, mutableCopy(operation), true, true, true).newDocument;
  } catch {
    throw patchDoesNotApply();
  }
}

function isOperation(value: unknown): value is Operation {
  if (!isRecord(value) || typeof value['op'] !== 'string' || !operationNames.includes(value['op'])) return false;
  if (typeof value['path'] !== 'string') return false;
  return value['op'] !== 'move' && value['op'] !== 'copy' ? true : typeof value['from'] === 'string';
}

/** Looks a JSON pointer up among own properties. `hasParent` says whether all but the last step exist. */
function findByPointer(document: unknown, pointer: string): { hasParent: boolean; value?: unknown } {
  if (pointer === '') return { hasParent: true, value: document };
  if (!pointer.startsWith('/')) return { hasParent: false };
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (steps.some(isUnsafeKey)) return { hasParent: false };
  let value: unknown = document;
  for (const [index, step] of steps.entries()) {
    if (typeof value !== 'object' || value === null) return { hasParent: false };
    const hasStep = Object.hasOwn(value, step) && !(Array.isArray(value) && !/^\d+$/.test(step));
    const next: unknown = hasStep ? Reflect.get(value, step) : undefined;
    if (index === steps.length - 1) return { hasParent: true, value: next };
    value = next;
  }
  return { hasParent: true, value };
}
