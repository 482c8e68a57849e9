/** Of a machine's template and of the running machine: JSON with lists of IP addresses by the machine's own names of its networks. */
export const ADDRESSES_ANNOTATION = 'network.kubevirt.io/addresses';
