// What our gates make of a moment, in the form of KubeVirt's answer.
import { objectIn } from '../../../src/model/json-fields.ts';
import { NETWORKS_ANNOTATION } from '../../../src/model/network-selection.ts';
import { NETWORK_STATUS_ANNOTATION, parseNetworkStatus } from '../../../src/model/network-status.ts';
import { viewBindingPlugins } from '../../../src/vm/binding-plugins.ts';
import { parseInterfaceStatus } from '../../../src/vm/interface-status.ts';
import { NETWORK_INFO_ANNOTATION } from '../../../src/vm/launcher-pod-view.ts';
import { parseNetworkSpec } from '../../../src/vm/network-spec.ts';
import type { RenderedNetworks } from '../../../src/vm/networks-annotation.ts';
import { planInterfaceStatus } from '../../../src/vm/plan-interface-status.ts';
import { planNetworkInfo } from '../../../src/vm/plan-network-info.ts';
import { planLivePodNetworks, planTargetPodNetworks, renderNewPodNetworks } from '../../../src/vm/plan-pod-networks.ts';
import { type NetworkLists, planTemplateCleanup, planVmiSpec } from '../../../src/vm/plan-vmi-spec.ts';
import type { MomentInput } from './moments.ts';
import type { Lists } from './shapes.ts';

export type OurAnswer = {
  readonly created: string;
  readonly live: Readonly<Record<string, string>>;
  readonly target: string;
  readonly status: readonly object[];
  readonly instance: Lists;
  readonly template: Lists;
};

export const ourAnswer = ({ vm, vmi, pod, plugins: registered }: MomentInput): OurAnswer => {
  const namespace = 'ns1';
  const plugins = viewBindingPlugins({ spec: { configuration: { network: { binding: registered } } } });
  const spec = parseNetworkSpec(vmi.spec);
  const template = parseNetworkSpec(objectIn(objectIn(vm, 'spec'), 'template')['spec']);
  const { entries } = parseInterfaceStatus(vmi.status.interfaces);
  const { annotations } = pod.metadata;
  const networksText = annotations[NETWORKS_ANNOTATION];
  const parsed = parseNetworkStatus(annotations[NETWORK_STATUS_ANNOTATION]);
  const reported = parsed.state === 'read' ? parsed.entries : [];

  const policy = { followsPrimaryName: true, reportsSecondaries: true };
  const status = planInterfaceStatus({ networks: spec.networks, status: entries, reported, policy });
  const live = textOf(planLivePodNetworks({ namespace, spec, status, reported, networksText, plugins }));
  const devices = planNetworkInfo({ spec, reported, plugins });
  const plan = planVmiSpec({ template, spec, status: entries });
  const instance = plan.lists ?? spec;
  const cleaned = planTemplateCleanup(template, { interfaces: instance.interfaces, status: entries });
  return {
    created: textOf(renderNewPodNetworks({ namespace, spec, plugins })),
    live: {
      ...(live !== (networksText ?? '') && { [NETWORKS_ANNOTATION]: live }),
      ...(devices && { [NETWORK_INFO_ANNOTATION]: devices.info }),
    },
    target: textOf(
      planTargetPodNetworks({ namespace, spec, plugins, networksText: undefined, sourceReported: reported }),
    ),
    status: status.map(({ raw }) => raw),
    instance: raws(instance),
    template: raws(cleaned ?? template),
  };
};

const raws = ({ networks, interfaces }: NetworkLists): Lists => ({
  networks: networks.map(({ raw }) => raw),
  interfaces: interfaces.map(({ raw }) => raw),
});

const textOf = (rendered: RenderedNetworks): string =>
  rendered.ok ? rendered.text : `refused: ${rendered.problem.reason}`;
