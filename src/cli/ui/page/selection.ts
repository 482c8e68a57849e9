// What is selected, as a text that fits into the address of the page: so a reload, or a colleague, sees the same.

/** Names of Kubernetes and of interfaces have no `|`. */
export const interfaceId = (podKey: string, name: string, network: string): string => `${podKey}|${name}|${network}`;

export const podId = (podKey: string): string => `${podKey}||`;

export interface Selection {
  readonly podKey: string;
  readonly interface: string;
  readonly network: string;
}

export const parseSelection = (id: string): Selection | undefined => {
  const [podKey = '', name = '', network = ''] = id.split('|');
  return podKey.includes('/') ? { podKey, interface: name, network } : undefined;
};
