/** How many the style sheet has: .net-0 to .net-7. */
const COLOURS = 8;

/** The same network has the same colour everywhere and after every reload. */
export const networkClass = (network: string): string => {
  let hash = 0;
  for (const character of network) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return `net-${hash % COLOURS}`;
};
