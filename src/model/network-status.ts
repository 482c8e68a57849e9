// What a pod's status reports: `k8s.v1.cni.cncf.io/network-status`, written by Multus at pod creation and by the agent after.
// Entries are kept as they were read, unknown fields included, so that writing the list back changes only what is ours.
import { goJson, isDeeperThan, isJsonObject, quote } from './json.ts';

export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status';

export interface StatusEntry {
  readonly name: string;
  readonly interface?: string;
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly mtu?: number;
  readonly default?: boolean;
  readonly dns?: unknown;
  readonly 'device-info'?: unknown;
  readonly gateway?: readonly string[];
}

export type ParsedStatus =
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly message: string }
  | { readonly state: 'read'; readonly entries: readonly StatusEntry[] };

export const parseNetworkStatus = (text: string | undefined): ParsedStatus => {
  if (text === undefined || text.trim() === '') return { state: 'absent' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { state: 'unreadable', message: `${NETWORK_STATUS_ANNOTATION} is not valid JSON: ${quote(text)}` };
  }
  if (!Array.isArray(value) || isDeeperThan(value) || !value.every(isStatusEntry)) {
    return {
      state: 'unreadable',
      message: `${NETWORK_STATUS_ANNOTATION} is not a list of status entries: ${quote(text)}`,
    };
  }
  return { state: 'read', entries: value };
};

const isStatusEntry = (value: unknown): value is StatusEntry =>
  isJsonObject(value) &&
  typeof value['name'] === 'string' &&
  isOptional(value['interface'], 'string') &&
  isOptional(value['mac'], 'string') &&
  isOptional(value['default'], 'boolean') &&
  isOptionalTexts(value['ips']);

const isOptional = (value: unknown, type: 'string' | 'boolean'): boolean =>
  value === undefined || value === null || typeof value === type;

const isOptionalTexts = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** The layout that Multus writes: entries indented by four spaces, joined without a line break. */
export const formatNetworkStatus = (entries: readonly StatusEntry[]): string =>
  `[${entries.map((entry) => goJson(entry, 4)).join(',')}]`;
