// Making elements. Text is only ever set as text: nothing of the cluster can become markup.

type Child = Node | string | undefined;

export interface Properties {
  readonly class?: string;
  readonly title?: string;
  readonly type?: string;
  readonly onclick?: () => void;
  /** Anything else: role, aria-*, data-*, tabindex. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export const make = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag);
  fill(element, properties, children);
  if (properties.onclick !== undefined) element.addEventListener('click', properties.onclick);
  return element;
};

const SVG = 'http://www.w3.org/2000/svg';

export const makeSvg = (
  tag: keyof SVGElementTagNameMap,
  properties: Properties = {},
  ...children: readonly Child[]
): SVGElement => {
  const element = document.createElementNS(SVG, tag);
  fill(element, properties, children);
  if (properties.onclick !== undefined) element.addEventListener('click', properties.onclick);
  return element;
};

const fill = (element: Element, properties: Properties, children: readonly Child[]): void => {
  const { class: className, title, type, attributes = {} } = properties;
  const all = { ...(className && { class: className }), ...(title && { title }), ...(type && { type }), ...attributes };
  for (const [name, value] of Object.entries(all)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined));
};

/** Throws when the page lacks it: then page and script do not belong together. */
export const getElement = <T extends Element>(id: string, kind: new () => T): T => {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} #${id}`);
};
