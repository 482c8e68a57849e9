// Request bodies: bounded, and JSON or refused.

import type { IncomingMessage } from 'node:http';
import { badRequest, tooLargeBody, unsupportedMediaType } from './api-error.ts';

const limitBytes = 3 * 1024 * 1024;

/** Reads a body that is too large to its end too, without keeping it: else the client never sees the answer. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
  }
  if (size > limitBytes) throw tooLargeBody(limitBytes);
  return Buffer.concat(chunks).toString('utf8');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized (must be of type JSON): ${String(error)}`);
  }
}

export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** A body without a content type is taken for JSON, as the real server does. */
export function checkJsonType(mediaType: string): void {
  if (mediaType !== '' && mediaType !== 'application/json' && mediaType !== '*/*') {
    throw unsupportedMediaType(['application/json']);
  }
}
