// `status.interfaces` of a running machine, as far as we share it: other programs keep addresses, queues and guest names there.
import { isDeeperThan, isJsonObject, type JsonObject, quote } from '../model/json.ts';
import { textIn } from '../model/json-fields.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export interface InterfaceStatus {
  /** Of the network; empty for an interface that only the guest knows. */
  readonly name: string;
  readonly podInterfaceName: string | undefined;
  readonly infoSource: string | undefined;
  readonly raw: JsonObject;
}

export interface ParsedInterfaceStatus {
  readonly entries: readonly InterfaceStatus[];
  /** The list as it was read; undefined when there was none. */
  readonly raw: unknown;
  /** Set when somebody left something there that is no list of entries: then it is not ours to write over. */
  readonly problem: VmProblem | undefined;
}

export const parseInterfaceStatus = (value: unknown): ParsedInterfaceStatus => {
  if (value === undefined || value === null) return { entries: [], raw: value, problem: undefined };
  if (Array.isArray(value) && !isDeeperThan(value) && value.every(isJsonObject)) {
    return { entries: value.map(parseEntry), raw: value, problem: undefined };
  }
  const message = `status.interfaces is no list of interfaces: ${quote(value)}; let the program that wrote it write it again, or remove it`;
  return { entries: [], raw: value, problem: problem('StatusUnreadable', message) };
};

const parseEntry = (raw: JsonObject): InterfaceStatus => ({
  name: textIn(raw, 'name') ?? '',
  podInterfaceName: textIn(raw, 'podInterfaceName') || undefined,
  infoSource: textIn(raw, 'infoSource') || undefined,
  raw,
});
