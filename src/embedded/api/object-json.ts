// The JSON text of stored objects, made once per version of an object however many answers and watches carry it.

import type { KubeObject } from './object-store.ts';

const texts = new WeakMap<KubeObject, string>();

/** Only for objects of the store: they are frozen, so their text stays true. */
export function objectJson(object: KubeObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return text;
}

/** As an item of a list: the real server leaves kind and apiVersion out of the items of its own types. */
export function listItemJson(object: KubeObject, isBuiltin: boolean): string {
  const text = objectJson(object);
  if (!isBuiltin) return text;
  const typePrefix = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},`;
  return text.startsWith(typePrefix) ? `{${text.slice(typePrefix.length)}` : text;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export const watchEventLine = (type: WatchEventType, object: KubeObject): string =>
  `{"type":"${type}","object":${objectJson(object)}}\n`;
