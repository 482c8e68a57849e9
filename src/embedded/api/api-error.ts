// The failures of the API server, as the Status objects Kubernetes answers with: same codes, reasons and wording.

export interface StatusCause {
  reason?: string;
  message: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Failure' | 'Success';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: 'Failure',
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** A resource as messages name it: `pods`, but `leases.coordination.k8s.io`. */
export interface NamedResource {
  plural: string;
  kind: string;
  group: string;
}

const qualified = (resource: NamedResource): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

const qualifiedKind = (resource: NamedResource): string =>
  resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`;

const detailsOf = (resource: NamedResource, name: string, kind = resource.plural): StatusDetails => ({
  name,
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind,
});

export const notFound = (resource: NamedResource, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));

export const alreadyExists = (resource: NamedResource, name: string): ApiError =>
  new ApiError(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, detailsOf(resource, name));

export const conflict = (resource: NamedResource, name: string, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    detailsOf(resource, name),
  );

export const staleVersion = (resource: NamedResource, name: string): ApiError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const invalid = (resource: NamedResource, name: string, causes: StatusCause[]): ApiError => {
  const problems = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualifiedKind(resource)} "${name}" is invalid: ${list}`, {
    ...detailsOf(resource, name, resource.kind),
    causes,
  });
};

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

/** What the real server answers to a patch that is well-formed but does not apply, a failed `test` among them. */
export const patchDoesNotApply = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

export const noSuchResource = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');

export const expired = (message: string, continueToken?: string): ApiError =>
  new ApiError(410, 'Expired', message, undefined, continueToken);

export const unsupportedMediaType = (accepted: string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const tooLargeBody = (limitBytes: number): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);

export const tooLargeResourceVersion = (asked: number, current: number): ApiError =>
  new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const internalError = (message: string): ApiError =>
  new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

const genericReasons: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** An error known by its code alone. */
export const genericError = (
  code: number,
  options: { message?: string; retryAfterSeconds?: number } = {},
): ApiError => {
  const reason = genericReasons[code] ?? 'InternalError';
  const { message = `an error on demand (${reason})`, retryAfterSeconds } = options;
  return new ApiError(code, reason, message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
};
