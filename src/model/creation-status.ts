// The network-status that Multus writes when it has made a sandbox.
import { type CniResult, statusEntriesOf } from './cni-result.ts';
import type { StatusEntry } from './network-status.ts';

export interface CreatedAttachment {
  /** `namespace/name` of a definition, or what the default network calls itself. */
  readonly network: string;
  readonly interface: string;
  readonly result: CniResult;
  readonly deviceId?: string;
}

/** The default network comes first. */
export const statusOfCreation = (created: readonly CreatedAttachment[]): readonly StatusEntry[] =>
  created.flatMap(({ network, interface: name, result, deviceId }, index) => {
    const entries = statusEntriesOf(network, name, result, deviceId);
    const primary = index === 0 ? (primaryOf(result) ?? name) : undefined;
    return entries.map((entry) => (entry.interface === primary ? asDefault(entry) : entry));
  });

/** Whether a status tells of this sandbox, and not of another one of the same pod: by the default network, which nobody changes. */
export const isStatusOf = (entries: readonly StatusEntry[], created: readonly CreatedAttachment[]): boolean => {
  const told = entries.find((entry) => entry.default);
  const real = statusOfCreation(created).find((entry) => entry.default);
  return told?.interface === real?.interface && told?.mac === real?.mac && told?.ips?.join() === real?.ips?.join();
};

/** Of several interfaces of the default network: the one whose address comes with a gateway, else the first. */
const primaryOf = ({ interfaces, ips }: CniResult): string | undefined => {
  const withGateway = ips.find(({ gateway, interface: index }) => gateway && index !== undefined)?.interface;
  const primary = withGateway === undefined ? interfaces.find(({ sandbox }) => sandbox) : interfaces[withGateway];
  return primary?.name;
};

/** In the order of Multus' fields. */
const asDefault = ({ dns, 'device-info': device, gateway, ...head }: StatusEntry): StatusEntry => ({
  ...head,
  default: true,
  dns,
  ...(device !== undefined && { 'device-info': device }),
  ...(gateway && { gateway }),
});
