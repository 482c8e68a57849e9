// Edits of the networks annotation: one element more, or one less, and everything else as it was, unknown fields included.
// Pure, so that an edit that lost a race is simply made again on what is there now.
import { goJson, isJsonObject, type JsonObject } from '../../model/json.ts';
import { splitName } from '../../model/keys.ts';
import { matchSelections } from '../../model/match-selections.ts';
import { interfaceNameProblem } from '../../model/network-selection.ts';
import { parseNetworkStatus } from '../../model/network-status.ts';
import { observeAttachments } from '../../model/observe-attachments.ts';
import { parseNetworks } from '../../model/parse-networks.ts';
import type { Pod } from '../../model/pod.ts';
import { CliError } from '../cli-error.ts';

export interface PlugRequest {
  /** `name` or `namespace/name`. */
  readonly network: string;
  readonly interface?: string | undefined;
  readonly ips?: readonly string[] | undefined;
  readonly mac?: string | undefined;
}

export interface NetworksEdit {
  /** The annotation's new value; undefined to remove it. */
  readonly text: string | undefined;
  readonly interface: string;
  readonly network: string;
}

/** Throws a CliError that says why it cannot be done. */
export const plugInto = (pod: Pod, request: PlugRequest): NetworksEdit => {
  const present = readPresent(pod);
  const name = request.interface ?? freeName(present);
  const problem = interfaceNameProblem(name);
  if (problem !== undefined)
    throw new CliError(`interface name "${name}" ${problem}`, 'choose another with --interface');
  const holder = present.holders.get(name);
  if (holder !== undefined) {
    throw new CliError(
      `interface ${name} of pod ${pod.key} is taken: it is on ${holder}`,
      request.interface === undefined
        ? 'name another with --interface'
        : 'choose another name, or unplug that one first',
    );
  }
  const [namespace, network] = request.network.includes('/')
    ? request.network.split('/', 2)
    : [undefined, request.network];
  const element: JsonObject = {
    name: network,
    ...(namespace !== undefined && { namespace }),
    ...(request.ips !== undefined && request.ips.length > 0 && { ips: request.ips }),
    ...(request.mac !== undefined && { mac: request.mac }),
    interface: name,
  };
  const text = goJson([...present.elements, element]);
  const checked = parseNetworks(text, pod.namespace);
  if (!checked.ok)
    throw new CliError(checked.problems.map(({ message }) => message.replace(/^element \d+: /, '')).join('; '));
  return { text, interface: name, network: checked.selections.at(-1)?.network ?? request.network };
};

export const unplugFrom = (pod: Pod, name: string): NetworksEdit => {
  const present = readPresent(pod);
  const index = present.names.indexOf(name);
  const network = present.networks[index];
  if (network === undefined) {
    const known = present.names.join(', ') || 'none';
    throw new CliError(
      `pod ${pod.key} asks for no interface ${name}`,
      `it asks for: ${known}; kubectl dnet status ${pod.name} -n ${pod.namespace} shows more`,
    );
  }
  // Of two unnamed elements on one network the agent could not tell which one is left: so those that stay get their names.
  const rest = present.elements.flatMap((element, position) => {
    if (position === index) return [];
    const isAmbiguous = present.networks[position] === network && present.isUnnamed[position] === true;
    return isAmbiguous ? [{ ...element, interface: present.names[position] }] : [element];
  });
  return { text: rest.length === 0 ? undefined : goJson(rest), interface: name, network };
};

interface Present {
  readonly elements: readonly JsonObject[];
  /** Of each element: the interface that it has, or will get. */
  readonly names: readonly string[];
  readonly networks: readonly string[];
  readonly isUnnamed: readonly boolean[];
  /** Every name that is in use, and what it is on. */
  readonly holders: ReadonlyMap<string, string>;
}

const readPresent = (pod: Pod): Present => {
  const parsed = parseNetworks(pod.networksText, pod.namespace);
  if (!parsed.ok) {
    throw new CliError(
      `the networks annotation of pod ${pod.key} cannot be understood: ${parsed.problems.map(({ message }) => message).join('; ')}`,
      `correct it first: kubectl edit pod ${pod.name} -n ${pod.namespace}`,
    );
  }
  const status = parseNetworkStatus(pod.statusText);
  const observed = observeAttachments(status.state === 'read' ? status.entries : [], []);
  const { selections } = matchSelections(parsed.selections, observed);
  const foreign = observed.flatMap((target): [string, string][] =>
    target.origin === 'foreign' && target.interface ? [[target.interface, "the pod's default network"]] : [],
  );
  const reported = observed.flatMap((target): [string, string][] =>
    target.origin === 'foreign' ? [] : [[target.interface, `${target.network}, and about to be unplugged`]],
  );
  const desired = selections.map(({ name, selection }): [string, string] => [name, selection.network]);
  return {
    elements: elementsOf(pod.networksText),
    names: selections.map(({ name }) => name),
    networks: selections.map(({ selection }) => selection.network),
    isUnnamed: selections.map(({ selection }) => selection.interface === undefined),
    holders: new Map([['lo', 'the loopback'], ...reported, ...desired, ...foreign]),
  };
};

/** The elements as they were written; the short form becomes the long one. */
const elementsOf = (text: string | undefined): readonly JsonObject[] => {
  if (text === undefined || text.trim() === '') return [];
  if (/[[{"]/.test(text)) {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  }
  return text.split(',').map((item) => {
    const [path = '', iface] = item
      .trim()
      .split('@')
      .map((part) => part.trim());
    const parts = splitName(path);
    return {
      name: parts?.name ?? path,
      ...(parts !== undefined && { namespace: parts.namespace }),
      ...(iface !== undefined && iface !== '' && { interface: iface }),
    };
  });
};

const freeName = ({ holders }: Present): string => {
  let ordinal = 1;
  while (holders.has(`net${ordinal}`)) ordinal += 1;
  return `net${ordinal}`;
};
