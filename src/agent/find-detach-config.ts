// How to undo an attachment that came with the pod: Multus' own record of it is exact; the network's config as it is now is
// the next best, and what other controllers use.
import type { AttachmentRecord } from '../model/attachment-record.ts';
import { renderConfig } from '../model/cni-config.ts';
import { KnownError } from '../model/errors.ts';
import type { CreationAttachment } from '../model/observe-attachments.ts';
import type { ReconcileContext, Sandbox } from './ports.ts';
import { configOf } from './prepare-attach.ts';
import { CREATION_REQUEST } from './step.ts';

export const findDetachConfig = async (
  { deps, signal }: ReconcileContext,
  target: CreationAttachment,
  sandbox: Sandbox,
): Promise<AttachmentRecord> => {
  const remembered = await deps.creation.findConfig(sandbox.id, target.interface);
  return {
    interface: target.interface,
    network: target.network,
    state: 'removing',
    containerId: sandbox.id,
    netns: sandbox.netns,
    config: remembered ?? (await presentConfig()),
    attributes: {},
    request: CREATION_REQUEST,
    entries: target.entries,
  };

  async function presentConfig(): Promise<string> {
    const definition = deps.networks.find(target.network) ?? (await deps.networks.fetch(target.network, signal));
    if (definition !== undefined)
      return renderConfig(target.network, await configOf(definition, deps.nodeConfig), {}).config;
    throw new KnownError(
      'networkNotFound',
      `interface ${target.interface} cannot be unplugged: NetworkAttachmentDefinition ${target.network} is gone, and Multus has no record of how it was attached; recreate it, or restart the pod`,
    );
  }
};
