// What the server answers to a request that is not a watch: a code and a JSON text.

import type { ApiError, Status } from './api-error.ts';
import { objectJson } from './object-json.ts';
import type { KubeObject } from './object-store.ts';

export interface Answer {
  code: number;
  text: string;
  contentType: string;
  retryAfterSeconds?: number;
  /** Of admission webhooks, for whoever sent the request. */
  warnings?: string[];
}

const json = 'application/json';

export const answerJson = (text: string, code = 200): Answer => ({ code, text, contentType: json });

export const answerText = (text: string, code = 200): Answer => ({ code, text, contentType: 'text/plain' });

export const answerObject = (object: KubeObject, code = 200): Answer => answerJson(objectJson(object), code);

export const answerStatus = (status: Status, code: number): Answer => answerJson(JSON.stringify(status), code);

export const answerError = (error: ApiError): Answer => {
  const retryAfterSeconds = error.status.details?.retryAfterSeconds;
  return {
    ...answerStatus(error.status, error.code),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
};
