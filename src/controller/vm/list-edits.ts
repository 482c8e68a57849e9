// Lists of networks and interfaces as edits of the objects that hold them. A list that was not there has nothing to be tested.
import type { Edit } from '../../vm/object-patch.ts';
import type { NetworkLists } from '../../vm/plan-vmi-spec.ts';
import type { VirtualMachine } from '../../vm/vm-view.ts';
import type { RunningMachine } from '../../vm/vmi-view.ts';

const listEdits = (
  root: string,
  before: { readonly networks: unknown; readonly interfaces: unknown },
  after: NetworkLists,
): readonly Edit[] => [
  { path: `${root}/networks`, before: before.networks ?? undefined, after: after.networks.map(({ raw }) => raw) },
  {
    path: `${root}/domain/devices/interfaces`,
    before: before.interfaces ?? undefined,
    after: after.interfaces.map(({ raw }) => raw),
  },
];

export const instanceListEdits = ({ spec }: RunningMachine, after: NetworkLists): readonly Edit[] =>
  listEdits('/spec', spec.raw, after);

export const templateListEdits = ({ template }: VirtualMachine, after: NetworkLists): readonly Edit[] =>
  listEdits('/spec/template/spec', template.raw, after);
