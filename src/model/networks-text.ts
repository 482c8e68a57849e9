// Puts fields into single elements of a networks annotation and leaves the text of everything else as it was: its writer
// compares texts, and numbers that JavaScript cannot hold must not change on the way.
import { canonicalJson, goJson, isJsonObject, type JsonObject } from './json.ts';
import { splitName } from './keys.ts';
import type { NetworkSelection } from './network-selection.ts';

/** `selections` are those of `text`; `fields` what the element at an index shall have. The text itself when it has them. */
export const withElementFields = (
  text: string,
  selections: readonly NetworkSelection[],
  fields: ReadonlyMap<number, JsonObject>,
): string => {
  if (fields.size === 0) return text;
  const isJson = /[[{"]/.test(text);
  const source = isJson ? text : goJson(selections.map(elementOf));
  const spans = elementSpans(source);
  let edited = '';
  let copied = 0;
  for (const [index, { start, end }] of spans.entries()) {
    const wanted = fields.get(index);
    if (wanted === undefined) continue;
    edited += source.slice(copied, start) + withFields(source.slice(start, end), wanted);
    copied = end;
  }
  return edited + source.slice(copied);
};

/** An element of the short form, which has no room for more, as an object. */
const elementOf = ({ network, interface: iface }: NetworkSelection): JsonObject => {
  const { namespace, name } = splitName(network) ?? { namespace: '', name: network };
  return { name, namespace, ...(iface !== undefined && { interface: iface }) };
};

const withFields = (element: string, wanted: JsonObject): string => {
  const present: unknown = JSON.parse(element);
  if (!isJsonObject(present)) return element;
  const isWanted = (key: string) => Object.keys(wanted).some((field) => field.toLowerCase() === key.toLowerCase());
  const clashing = Object.keys(present).filter(isWanted);
  const isThere = clashing.every((key) => canonicalJson(present[key]) === canonicalJson(wanted[key]));
  if (isThere && clashing.length === Object.keys(wanted).length) return element;
  if (clashing.length === 0) {
    const closing = element.lastIndexOf('}');
    const members = goJson(wanted).slice(1, -1);
    return `${element.slice(0, closing).trimEnd()},${members}${element.slice(closing)}`;
  }
  return goJson({ ...Object.fromEntries(Object.entries(present).filter(([key]) => !isWanted(key))), ...wanted });
};

/** Where the elements of a JSON list stand in its text, which is known to be one. */
export const elementSpans = (text: string): readonly { readonly start: number; readonly end: number }[] => {
  const spans: { start: number; end: number }[] = [];
  let depth = 0;
  let isInString = false;
  let start = -1;
  const close = (end: number) => {
    if (start >= 0) spans.push({ start, end: start + text.slice(start, end).trimEnd().length });
    start = -1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
      continue;
    }
    if (depth === 1 && start < 0 && !/[\s,\]]/.test(character)) start = at;
    if (character === '"') isInString = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth === 0) close(at);
    } else if (character === ',' && depth === 1) close(at);
  }
  return spans;
};
