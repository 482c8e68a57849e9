// What the API server answered when it did not do what was asked.
import { KnownError } from '../model/errors.ts';
import { isJsonObject } from '../model/json.ts';

export class ApiError extends Error {
  readonly statusCode: number;
  /** The machine-readable reason of the Status object: NotFound, Conflict, Expired, … */
  readonly reason: string;
  /** As it was answered: what a pod said, when it was asked through the server. */
  readonly body: string;

  constructor(statusCode: number, reason: string, message: string, body = '') {
    super(message);
    this.name = 'ApiError';
    this.statusCode = statusCode;
    this.reason = reason;
    this.body = body;
  }
}

export const apiErrorOf = (statusCode: number, body: string): ApiError => {
  try {
    const status: unknown = JSON.parse(body);
    if (isJsonObject(status) && typeof status['message'] === 'string') {
      return new ApiError(statusCode, String(status['reason'] ?? ''), status['message'], body);
    }
  } catch {
    // A proxy's page, or nothing: the status code says enough.
  }
  return new ApiError(statusCode, '', `the API server answered ${statusCode}: ${body.slice(0, 200)}`, body);
};

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 404;
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 410;

/** For a write that was guarded by the state it was based on. */
export const toKnownWriteError = (error: unknown, subject: string): KnownError => {
  const detail = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) {
    return new KnownError('apiUnreachable', `${subject}: the API server cannot be reached: ${detail}`, {
      cause: error,
    });
  }
  switch (error.statusCode) {
    case 404:
      return new KnownError('objectGone', `${subject}: ${detail}`, { cause: error });
    case 409: // the uid or the version is another one, or it exists already
    case 422: // a `test` of the JSON patch failed
      return new KnownError('stateChanged', `${subject}: changed meanwhile: ${detail}`, { cause: error });
    case 401:
    case 403:
      return new KnownError('apiRefused', `${subject}: ${detail}; check the service account and its RBAC`, {
        cause: error,
      });
    default:
      return new KnownError('apiUnreachable', `${subject}: ${detail}`, { cause: error });
  }
};
