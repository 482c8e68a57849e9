// AdmissionReview of admission.k8s.io/v1 on the wire: what the API server sends, and what it wants back.
import * as z from 'zod/mini';
import type { AdmissionDecision, AdmissionRequest, AdmittedObject, Refusal } from '../model/admission.ts';
import { isJsonObject, quote, shorten } from '../model/json.ts';

export const REVIEW_VERSION = 'admission.k8s.io/v1';

const texts = z.nullish(z.record(z.string(), z.string()));

const objectSchema = z.object({
  metadata: z.object({
    name: z.nullish(z.string()),
    generateName: z.nullish(z.string()),
    labels: texts,
    annotations: texts,
    ownerReferences: z.nullish(
      z.array(z.object({ kind: z.string(), name: z.string(), uid: z.string(), controller: z.nullish(z.boolean()) })),
    ),
  }),
  spec: z.optional(z.unknown()),
});

const requestSchema = z.object({
  uid: z.string().check(z.minLength(1)),
  operation: z.enum(['CREATE', 'UPDATE']),
  namespace: z.nullish(z.string()),
  name: z.nullish(z.string()),
  userInfo: z.object({
    username: z.nullish(z.string()),
    uid: z.nullish(z.string()),
    groups: z.nullish(z.array(z.string())),
    extra: z.nullish(z.record(z.string(), z.nullable(z.array(z.string())))),
  }),
  object: objectSchema,
  oldObject: z.nullish(objectSchema),
});

/** What was sent is no AdmissionReview that we can answer: said with an HTTP status, as there is no uid to answer to. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

export const parseReview = (text: string): AdmissionRequest => {
  const review = readReview(text);
  const parsed = requestSchema.safeParse(review);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ReviewError(`the request of the AdmissionReview cannot be read: ${describe(issue)}`);
  }
  const { uid, operation, namespace, name, userInfo, object, oldObject } = parsed.data;
  return {
    uid,
    operation,
    namespace: namespace ?? '',
    user: {
      username: userInfo.username ?? '',
      ...(userInfo.uid ? { uid: userInfo.uid } : {}),
      groups: userInfo.groups ?? [],
      extra: Object.fromEntries(Object.entries(userInfo.extra ?? {}).map(([key, values]) => [key, values ?? []])),
    },
    object: viewObject(object, name),
    oldObject: oldObject ? viewObject(oldObject, name) : undefined,
  };
};

const readReview = (text: string): unknown => {
  let review: unknown;
  try {
    review = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ReviewError(`the body is not JSON: ${shorten(detail, 200)}`);
  }
  if (!isJsonObject(review) || review['kind'] !== 'AdmissionReview') {
    throw new ReviewError('the body is no AdmissionReview');
  }
  if (review['apiVersion'] !== REVIEW_VERSION) {
    throw new ReviewError(
      `the AdmissionReview is of ${quote(review['apiVersion'])}; only ${REVIEW_VERSION} is understood: see admissionReviewVersions of the webhook configuration`,
    );
  }
  return review['request'];
};

const describe = (issue: z.core.$ZodIssue | undefined): string =>
  issue === undefined ? 'it has another shape' : `${issue.path.join('.') || 'it'}: ${issue.message}`;

const viewObject = ({ metadata, spec }: z.infer<typeof objectSchema>, requestName: string | null | undefined) =>
  ({
    name: metadata.name || requestName || '',
    generateName: metadata.generateName ?? '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    owners: (metadata.ownerReferences ?? []).map(({ controller, ...owner }) => ({
      ...owner,
      isController: controller ?? false,
    })),
    ...(spec !== undefined && { spec }),
  }) satisfies AdmittedObject;

const CODES: Readonly<Record<Refusal['reason'], number>> = {
  Invalid: 422,
  Forbidden: 403,
  Conflict: 409,
  ServiceUnavailable: 503,
};

export const answerReview = (uid: string, { refusal, warnings = [], patch = [] }: AdmissionDecision): string =>
  JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: REVIEW_VERSION,
    response: {
      uid,
      allowed: refusal === undefined,
      ...(refusal !== undefined && { status: statusOf(refusal) }),
      ...(warnings.length > 0 && { warnings }),
      ...(refusal === undefined &&
        patch.length > 0 && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
    },
  });

const statusOf = ({ reason, message, retryAfterSeconds }: Refusal) => ({
  code: CODES[reason],
  reason,
  message,
  ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
});
