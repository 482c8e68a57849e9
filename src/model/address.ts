import ipaddr from 'ipaddr.js';

/** One text for one address, however it was written, and without its prefix length. Text that is no address stays as it is. */
export const canonicalAddress = (text: string): string => {
  const address = text.split('/')[0] ?? text;
  return ipaddr.isValid(address) ? ipaddr.parse(address).toString() : text;
};
