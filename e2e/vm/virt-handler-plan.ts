// What virt-handler would write into a VirtualMachineInstance that virt-controller has scheduled, as a patch; pure. There is no
// guest: whatever the pod has is in the domain at once, and what is to be absent leaves it at once.
import type { JsonPatch } from '../api-client.ts';
import type { InterfaceStatus, Vmi } from './vm-objects.ts';

const separator = ', ';

const sourcesOf = ({ infoSource }: InterfaceStatus): readonly string[] =>
  infoSource === undefined ? [] : infoSource.split(separator);

const withSources = (entry: InterfaceStatus, sources: readonly string[]): InterfaceStatus => {
  const { infoSource: _, ...rest } = entry;
  return sources.length === 0 ? rest : { ...rest, infoSource: sources.join(separator) };
};

/** `undefined`: neither the pod nor the guest has it any more. */
const planInterface = (entry: InterfaceStatus, { spec }: Vmi): InterfaceStatus | undefined => {
  const wanted = spec.domain.devices.interfaces?.find(({ name }) => name === entry.name);
  const network = spec.networks?.find(({ name }) => name === entry.name);
  const others = sourcesOf(entry).filter((source) => source !== 'domain');
  const isWanted = wanted !== undefined && wanted.state !== 'absent';
  const isAttached = isWanted && (network?.multus === undefined || sourcesOf(entry).length > 0);
  const sources = isAttached ? ['domain', ...others] : others;
  return sources.length === 0 && !isWanted ? undefined : withSources(entry, sources);
};

/** Nothing to write: an empty patch. */
export const planHandling = (vmi: Vmi): JsonPatch => {
  const { phase, interfaces, selinuxContext } = vmi.status ?? {};
  if (vmi.metadata.deletionTimestamp !== undefined || (phase !== 'Scheduled' && phase !== 'Running')) return [];

  const planned = (interfaces ?? []).flatMap((entry) => planInterface(entry, vmi) ?? []);
  const changes: JsonPatch = [
    ...(phase === 'Scheduled' ? [{ op: 'add', path: '/status/phase', value: 'Running' } as const] : []),
    // Without it no target pod is made for a migration.
    ...(selinuxContext === undefined ? [{ op: 'add', path: '/status/selinuxContext', value: 'none' } as const] : []),
    ...(interfaces !== undefined && JSON.stringify(planned) !== JSON.stringify(interfaces)
      ? [{ op: 'add', path: '/status/interfaces', value: planned } as const]
      : []),
  ];
  if (changes.length === 0) return [];
  const guard = { op: 'test', path: '/metadata/resourceVersion', value: vmi.metadata.resourceVersion } as const;
  return [guard, ...changes];
};
