import ipaddr from 'ipaddr.js';

/** One text for one address, however it was written, and without its prefix length. Text that is no address stays as it is. */
export const canonicalAddress = (text: string): string => {
  const address = text.split('/')[0] ?? text;
  return ipaddr.isValid(address) ? ipaddr.parse(address).toString() : text;
};

/** One text for one MAC address: pairs with colons, however it was written. Text that is no address stays as it is. */
export const canonicalMac = (text: string): string => {
  const digits = text.toLowerCase().replaceAll(/[:.-]/g, '');
  return /^([0-9a-f]{2})+$/.test(digits) ? (digits.match(/../g) ?? []).join(':') : text;
};
