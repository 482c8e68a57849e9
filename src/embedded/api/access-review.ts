// Access reviews: may this user do that? Everything is allowed unless a test decides otherwise.

import { type Answer, answerJson } from './answer.ts';
import { badRequest, methodNotAllowed } from './api-error.ts';
import { isRecord, type JsonRecord } from './frozen-json.ts';

export interface AccessReview {
  kind: 'SelfSubjectAccessReview' | 'SubjectAccessReview';
  /** The bearer token of the caller. */
  token: string;
  /** As sent: resourceAttributes, nonResourceAttributes, user, groups… */
  spec: JsonRecord;
}

export type AccessDecision = { allowed: boolean; reason?: string };

export type DecideAccess = (review: AccessReview) => AccessDecision;

const kinds: Record<string, AccessReview['kind']> = {
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': 'SelfSubjectAccessReview',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': 'SubjectAccessReview',
};

export const isAccessReviewPath = (path: string): boolean => Object.hasOwn(kinds, path);

export const allowAll: DecideAccess = () => ({ allowed: true });

export function reviewAccess(path: string, method: string, token: string, body: unknown, decide: DecideAccess): Answer {
  const kind = kinds[path];
  if (method !== 'POST' || kind === undefined) throw methodNotAllowed();
  if (!isRecord(body) || !isRecord(body['spec'])) throw badRequest(`spec is required in a ${kind}`);
  const status = decide({ kind, token, spec: body['spec'] });
  const answer = { kind, apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec: body['spec'], status };
  return answerJson(JSON.stringify(answer), 201);
}
