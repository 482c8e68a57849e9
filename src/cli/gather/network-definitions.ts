import { NAD_GROUP_PATH, viewNetworkDefinition } from '../../kube/network-definition-view.ts';
import type { NetworkName } from '../../model/keys.ts';
import { splitName } from '../../model/keys.ts';
import type { NetworkDefinition } from '../../model/network-definition.ts';
import { CliError } from '../cli-error.ts';
import { findObject, findObjects, type Reader } from './read-objects.ts';
import { NETWORKS } from './resources.ts';

export type Definitions = ReadonlyMap<NetworkName, NetworkDefinition>;

export const listNetworks = async (reader: Reader, namespace: string | undefined): Promise<Definitions> => {
  const objects = await findObjects(reader, NETWORKS, { namespace });
  if (objects === undefined) throw withoutMultus();
  return toMap(objects);
};

/** Only those that are named: a person may be allowed to read some namespaces and not others. */
export const findNetworks = async (reader: Reader, names: Iterable<NetworkName>): Promise<Definitions> => {
  const wanted = [...new Set(names)].flatMap((name) => splitName(name) ?? []);
  const objects = await Promise.all(wanted.map((ref) => findObject(reader, NETWORKS, ref)));
  return toMap(objects);
};

const toMap = (objects: readonly unknown[]): Definitions =>
  new Map(objects.flatMap((object) => viewNetworkDefinition(object) ?? []).map((seen) => [seen.network, seen]));

const withoutMultus = (): CliError =>
  new CliError(
    `this cluster has no NetworkAttachmentDefinitions (${NAD_GROUP_PATH})`,
    'install Multus, which brings them: https://github.com/k8snetworkplumbingwg/multus-cni',
  );
