// `infoSource` of an interface's status: who knows of it, as a list in one text.

export const MULTUS_STATUS = 'multus-status';
const SEPARATOR = ', ';

export const hasInfoSource = (text: string | undefined, source: string): boolean =>
  (text ?? '').split(SEPARATOR).includes(source);

export const withInfoSource = (text: string | undefined, source: string): string => {
  if (!text) return source;
  return hasInfoSource(text, source) ? text : `${text}${SEPARATOR}${source}`;
};

/** Undefined when nobody is left who knows of it. */
export const withoutInfoSource = (text: string | undefined, source: string): string | undefined =>
  (text ?? '')
    .split(SEPARATOR)
    .filter((item) => item !== source)
    .join(SEPARATOR) || undefined;
