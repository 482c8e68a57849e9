// Adds an element to the networks annotation or takes one out, in the form that the annotation already has.
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { matchSelections } from '../../model/match-selections.ts';
import type { NetworkSelection } from '../../model/network-selection.ts';
import type { StatusEntry } from '../../model/network-status.ts';
import { observeAttachments } from '../../model/observe-attachments.ts';
import { parseNetworks } from '../../model/parse-networks.ts';

export interface NewElement {
  /** `name`, or `namespace/name`. */
  readonly network: string;
  readonly interface?: string;
  readonly ip?: string;
  readonly mac?: string;
}

/** The new text, undefined for no annotation; or why there is none. */
export type EditedNetworks =
  | { readonly ok: true; readonly text: string | undefined }
  | { readonly ok: false; readonly problem: string };

type Elements =
  | { readonly form: 'json'; readonly items: readonly JsonObject[] }
  | { readonly form: 'short'; readonly items: readonly string[] };

const unreadable: EditedNetworks = {
  ok: false,
  problem:
    'the annotation as it is cannot be read, so nothing can be added or taken out; write a new one with: edit TEXT',
};

export const plugInto = (text: string | undefined, element: NewElement, podNamespace: string): EditedNetworks => {
  const parsed = parseNetworks(text, podNamespace);
  if (!parsed.ok) return unreadable;
  const elements = elementsOf(text);
  const needsJson = element.ip !== undefined || element.mac !== undefined;
  if (elements.form === 'short' && !needsJson) {
    return { ok: true, text: [...elements.items, shortOf(element.network, element.interface)].join(', ') };
  }
  const items =
    elements.form === 'json' ? elements.items : parsed.selections.map((selection) => objectOf(selection, podNamespace));
  return { ok: true, text: JSON.stringify([...items, newObject(element)]) };
};

/** `reported`: which unnamed element means which interface only the status can tell. */
export const unplugFrom = (
  text: string | undefined,
  name: string,
  reported: readonly StatusEntry[],
  podNamespace: string,
): EditedNetworks => {
  const parsed = parseNetworks(text, podNamespace);
  if (!parsed.ok) return unreadable;
  const { selections } = matchSelections(parsed.selections, observeAttachments(reported, []), () => false);
  const unwanted = selections.find((match) => match.name === name)?.selection;
  if (unwanted === undefined) {
    const names = selections.map((match) => match.name).join(', ') || 'none';
    return { ok: false, problem: `no element of the annotation means interface "${name}"; there are: ${names}` };
  }
  // Unnamed elements of the same network get their names written down, lest another one's interface be taken for this one's.
  const pinned = new Map(
    selections
      .filter(({ selection }) => selection.network === unwanted.network && selection.interface === undefined)
      .map((match) => [match.selection.index, match.name]),
  );
  const elements = elementsOf(text);
  if (elements.items.length === 1) return { ok: true, text: undefined };
  const isKept = (_: unknown, index: number): boolean => index !== unwanted.index;
  if (elements.form === 'short') {
    const named = elements.items.map((item, index) => withSuffix(item, pinned.get(index)));
    return { ok: true, text: named.filter(isKept).join(', ') };
  }
  const named = elements.items.map((item, index) => {
    const pin = pinned.get(index);
    return pin === undefined ? item : { ...item, interface: pin };
  });
  return { ok: true, text: JSON.stringify(named.filter(isKept)) };
};

/** Only for text that can be parsed. */
const elementsOf = (text = ''): Elements => {
  if (!/[[{"]/.test(text)) {
    return { form: 'short', items: text.trim() === '' ? [] : text.split(',').map((item) => item.trim()) };
  }
  const value: unknown = JSON.parse(text);
  return { form: 'json', items: Array.isArray(value) ? value.filter(isJsonObject) : [] };
};

const shortOf = (network: string, name: string | undefined): string => withSuffix(network, name);
const withSuffix = (item: string, name: string | undefined): string => (name === undefined ? item : `${item}@${name}`);

/** What the short form can say, as an object. */
const objectOf = ({ network, interface: name }: NetworkSelection, podNamespace: string): JsonObject => ({
  ...nameOf(network.startsWith(`${podNamespace}/`) ? network.slice(podNamespace.length + 1) : network),
  ...(name !== undefined && { interface: name }),
});

const nameOf = (network: string): JsonObject => {
  const slash = network.indexOf('/');
  return slash < 0 ? { name: network } : { name: network.slice(slash + 1), namespace: network.slice(0, slash) };
};

const newObject = ({ network, interface: name, ip, mac }: NewElement): JsonObject => ({
  ...nameOf(network),
  ...(name !== undefined && { interface: name }),
  ...(ip !== undefined && { ips: [ip] }),
  ...(mac !== undefined && { mac }),
});
