// Which interfaces the page shows. Pure: the same for list, map and counts.
import type { InterfaceStatus } from '../../logic/pod-networks.ts';
import type { TopologyPod } from '../topology.ts';
import { type Readiness, readinessOf } from './readiness.ts';

export interface Filter {
  /** Words; each must be found somewhere. */
  readonly text: string;
  readonly state: Readiness | '';
  readonly network: string;
  readonly node: string;
  readonly namespace: string;
}

export const NO_FILTER: Filter = { text: '', state: '', network: '', node: '', namespace: '' };

/** The pod with the interfaces that pass; undefined when nothing of it does. */
export const filterPod = (pod: TopologyPod, filter: Filter): TopologyPod | undefined => {
  if (filter.node !== '' && pod.node !== filter.node) return undefined;
  if (filter.namespace !== '' && pod.namespace !== filter.namespace) return undefined;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const passes = (item: InterfaceStatus): boolean =>
    (filter.network === '' || item.network === filter.network) &&
    (filter.state === '' || readinessOf(item) === filter.state) &&
    hasAll(words, pod, item);
  const interfaces = pod.interfaces.filter(passes);
  if (interfaces.length === pod.interfaces.length && interfaces.length > 0) return pod;
  if (interfaces.length > 0) return { ...pod, interfaces };
  // A pod whose annotation cannot be understood may have no interface at all, and is worth seeing all the more.
  const isBare = pod.interfaces.length === 0 && filter.network === '';
  return isBare && (filter.state === '' || filter.state === 'notReady') && hasAll(words, pod) ? pod : undefined;
};

const hasAll = (words: readonly string[], pod: TopologyPod, item?: InterfaceStatus): boolean => {
  if (words.length === 0) return true;
  const haystack = [
    pod.key,
    pod.vm,
    pod.node,
    pod.reason,
    item?.interface,
    item?.network,
    item?.mac,
    item?.reason,
    item?.message,
    ...(item?.ips ?? []),
  ]
    .join(' ')
    .toLowerCase();
  return words.every((word) => haystack.includes(word));
};
