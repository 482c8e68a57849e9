// Which networks annotation a machine's live pod, and the pod that it migrates to, should have.
import type { JsonObject } from '../model/json.ts';
import type { StatusEntry } from '../model/network-status.ts';
import type { BindingPlugins } from './binding-plugins.ts';
import { schemeOf, secondaryNames } from './interface-names.ts';
import type { InterfaceStatus } from './interface-status.ts';
import { findNamed, type NetworkSpec, type VmInterface, type VmNetwork } from './network-spec.ts';
import { elementsIn, type RenderedNetworks, renderNetworks } from './networks-annotation.ts';

export interface PodNetworksInput {
  readonly namespace: string;
  readonly spec: NetworkSpec;
  /** `status.interfaces` as it is, or as it is about to be written. */
  readonly status: readonly InterfaceStatus[];
  /** network-status of the pod in question. */
  readonly reported: readonly StatusEntry[];
  readonly networksText: string | undefined;
  readonly plugins: BindingPlugins;
}

const same = (text: string | undefined): RenderedNetworks => ({ ok: true, text: text ?? '' });

/** The annotation of a pod that is to be made for the machine. */
export const renderNewPodNetworks = ({
  namespace,
  spec,
  plugins,
}: Pick<PodNetworksInput, 'namespace' | 'spec' | 'plugins'>): RenderedNetworks => {
  const interfaces = spec.interfaces.filter(({ isAbsent }) => !isAbsent);
  const networks = networksOf(interfaces, spec.networks);
  return renderNetworks({ namespace, interfaces, networks, names: secondaryNames(networks, 'hashed'), plugins });
};

/**
 * The annotation of a pod that runs. It is left as it is until an interface is to come or to go: then it is made anew from the
 * spec, and what others had put into an element that stays is kept. SR-IOV interfaces come with a pod, so one that the pod does
 * not have waits for a migration.
 */
export const planLivePodNetworks = (input: PodNetworksInput): RenderedNetworks => {
  const { namespace, spec, status, networksText, plugins } = input;
  const wanted = spec.interfaces.filter(({ isAbsent }) => !isAbsent);
  const isKnown = ({ name }: VmInterface) => findNamed(status, name) !== undefined;
  const interfaces = wanted.filter((iface) => iface.binding !== 'sriov' || isKnown(iface));
  const isPlugging = !interfaces.every(isKnown);
  const isUnplugging = wanted.length < spec.interfaces.length;
  if (!isPlugging && !isUnplugging) return same(networksText);
  return renderNetworks({
    namespace,
    interfaces,
    networks: networksOf(interfaces, spec.networks),
    names: secondaryNames(spec.networks, schemeOf(input.reported)),
    plugins,
    present: elementsIn(networksText),
  });
};

/**
 * The annotation of a pod that a migration has made and that does not run yet. Guests keep their interfaces, so it has the
 * names of the source: hashed ones are the same by themselves, ordinal ones are counted over all networks in their order.
 */
export const planTargetPodNetworks = (
  input: Pick<PodNetworksInput, 'namespace' | 'spec' | 'plugins' | 'networksText'> & {
    readonly sourceReported: readonly StatusEntry[];
  },
): RenderedNetworks => {
  const { namespace, spec, plugins, networksText, sourceReported } = input;
  const isOrdinal = schemeOf(sourceReported) === 'ordinal';
  const interfaces = isOrdinal ? spec.interfaces : spec.interfaces.filter(({ isAbsent }) => !isAbsent);
  const networks = isOrdinal ? spec.networks : networksOf(interfaces, spec.networks);
  const present: readonly JsonObject[] = elementsIn(networksText);
  const names = secondaryNames(networks, isOrdinal ? 'ordinal' : 'hashed');
  return renderNetworks({ namespace, interfaces, networks, names, plugins, present });
};

/** Networks in the order of their interfaces; an interface without a network has none. */
const networksOf = (interfaces: readonly VmInterface[], networks: readonly VmNetwork[]): readonly VmNetwork[] =>
  interfaces.flatMap(({ name }) => findNamed(networks, name) ?? []);
