// Everything that must be known before an interface is plugged, and every reason not to: nothing here changes the world.

import type { AttachmentRecord } from '../model/attachment-record.ts';
import { renderConfig } from '../model/cni-config.ts';
import { KnownError } from '../model/errors.ts';
import { splitName } from '../model/keys.ts';
import { isolationProblem, type MultusRules } from '../model/multus-rules.ts';
import type { NetworkDefinition } from '../model/network-definition.ts';
import { requestSignature } from '../model/network-selection.ts';
import type { Attach } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import type { ReconcileContext, Sandbox } from './ports.ts';

/** The record to write before ADD is sent. Throws a KnownError that names what has to change. */
export const prepareAttach = async (
  { deps, signal }: ReconcileContext,
  pod: Pod,
  attach: Attach,
  sandbox: Sandbox,
  rules: MultusRules,
): Promise<AttachmentRecord> => {
  const { network, attributes } = attach.selection;
  const forbidden = isolationProblem(rules, pod.namespace, network);
  if (forbidden !== undefined) throw new KnownError('networkForbidden', forbidden);

  const definition = deps.networks.find(network) ?? (await deps.networks.fetch(network, signal));
  if (definition === undefined) {
    throw new KnownError(
      'networkNotFound',
      `NetworkAttachmentDefinition ${network} does not exist; create it, and the interface is plugged`,
    );
  }
  const rendered = renderConfig(network, await configOf(definition, deps.nodeConfig), attributes);
  if (attributes.deviceId !== undefined) await requireDevice(deps, sandbox, attributes.deviceId, signal);
  return {
    interface: attach.interface,
    network,
    state: 'adding',
    containerId: sandbox.id,
    netns: sandbox.netns,
    ...rendered,
    request: requestSignature(attributes),
    entries: [],
    ...(attributes.deviceId !== undefined && { deviceId: attributes.deviceId }),
  };
};

/** An empty definition means a config file of the network's name on the node. */
export const configOf = async (
  { network, config }: NetworkDefinition,
  nodeConfig: ReconcileContext['deps']['nodeConfig'],
): Promise<string> => {
  if (config.trim() !== '') return config;
  const onDisk = await nodeConfig.findConfig(splitName(network)?.name ?? '');
  if (onDisk !== undefined) return onDisk;
  throw new KnownError(
    'networkInvalid',
    `NetworkAttachmentDefinition ${network} has no config, and this node has no CNI config file of that name; give it a config`,
  );
};

const requireDevice = async (
  deps: ReconcileContext['deps'],
  sandbox: Sandbox,
  deviceId: string,
  signal: AbortSignal,
): Promise<void> => {
  if ((await deps.sandboxes.heldDevices(sandbox, signal)).has(deviceId)) return;
  throw new KnownError(
    'notHotPluggable',
    `the pod does not hold device ${deviceId}; name one that its containers were given`,
  );
};
