// The closed list of reasons that people and programs see: in events, in the Ready status and in the pod condition.

/** Reasons of events that tell of a change. */
export type ChangeReason =
  | 'AddedInterface'
  | 'RemovedInterface'
  | 'ReplacedInterface'
  | 'RepairedInterface'
  | 'RestoredStatus';

/** Reasons why something is not as the annotation says. */
export type Reason =
  | 'FailedAddingInterface'
  | 'FailedRemovingInterface'
  | 'InvalidNetworks'
  | 'NetworkNotFound'
  | 'NodeNetworkNotFound'
  | 'NetworkForbidden'
  | 'InvalidNetworkConfig'
  | 'InterfaceNameTaken'
  | 'InterfaceNameRequired'
  | 'NotHotPluggable'
  | 'AttributesChanged'
  | 'DeviceAttachmentKept'
  | 'HostNetworkPod'
  | 'StatusUnreadable';

/** Reasons of events about the agent itself, on its Node. */
export type NodeReason = 'ReleaseFailing' | 'LedgerCorrupt';

/** Kept attachments whose notice is for information: the interface works, so it counts as ready. */
export const isReadyInSpiteOf = (reason: Reason): boolean =>
  reason === 'DeviceAttachmentKept' || reason === 'AttributesChanged';
