// What may leave the cluster: no value whose name says that it is secret.
import { isJsonObject } from '../../model/json.ts';

const SECRET = /pass(word|wd|phrase)?$|token|secret|credential|private|api-?key|auth|kubeconfig/i;

export const redact = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(redact);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? '(left out)' : redact(inner)]),
  );
};

/** Of a text that is JSON, the same; any other text is left out as a whole, because nobody can tell what is in it. */
export const redactText = (text: string): string => {
  try {
    return JSON.stringify(redact(JSON.parse(text)));
  } catch {
    return '(not JSON: left out)';
  }
};
