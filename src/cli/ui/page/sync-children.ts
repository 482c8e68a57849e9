/** Makes the children these, in this order, and moves only what has to: what stays keeps focus and place. */
export const syncChildren = (parent: Element, wanted: readonly Element[]): void => {
  const keep = new Set(wanted);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((element, index) => {
    const present = parent.children[index];
    if (present !== element) parent.insertBefore(element, present ?? null);
  });
};
