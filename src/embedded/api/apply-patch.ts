// PATCH: picks the patch format by content type and applies it to an object.

import { ApiError, badRequest, unsupportedMediaType } from './api-error.ts';
import { isRecord } from './frozen-json.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { isKubeObject, shapeProblem } from './object-shape.ts';
import type { KubeObject } from './object-store.ts';
import type { ResourceDefinition } from './resource-registry.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicMergePatch = 'application/strategic-merge-patch+json';

/** Refuses before the body is even parsed, as the real server does. */
export function checkPatchType(definition: ResourceDefinition, contentType: string): void {
  // The API machinery of Kubernetes has no Go types for CRDs, hence no merge keys.
  const accepted = definition.builtin ? [jsonPatch, mergePatch, strategicMergePatch] : [jsonPatch, mergePatch];
  if (!accepted.includes(contentType)) throw unsupportedMediaType(accepted);
}

export function applyPatch(
  definition: ResourceDefinition,
  contentType: string,
  stored: KubeObject,
  patch: unknown,
): KubeObject {
  const patched = patchedBy(definition, contentType, stored, patch);
  if (isKubeObject(patched)) return patched;
  throw new ApiError(
    422,
    'Invalid',
    ` "" is invalid: patch: Invalid value: ${JSON.stringify(patch)}: ${shapeProblem(patched)}`,
    {
      causes: [{ reason: 'FieldValueInvalid', message: shapeProblem(patched) ?? '', field: 'patch' }],
    },
  );
}

function patchedBy(definition: ResourceDefinition, contentType: string, stored: KubeObject, patch: unknown): unknown {
  if (contentType === jsonPatch) return applyJsonPatch(stored, patch);
  if (!isRecord(patch))
    throw badRequest('json: cannot unmarshal the patch into Go value of type map[string]interface {}');
  if (contentType === mergePatch) return applyMergePatch(stored, patch);
  return applyStrategicMergePatch(definition.plural, stored, patch);
}
