// Who may ask for the node's own network in the name of a virtual machine. The controller plugs it for the machine, so what the
// webhook of pods sees there is the controller; who wrote the machine is seen only here. As with pods, only what an edit adds is checked.
import type { AdmissionDecision, AdmissionRequest, AdmittedObject, Refusal } from '../../model/admission.ts';
import { objectIn } from '../../model/json-fields.ts';
import { networkName } from '../../model/keys.ts';
import { isolationProblem, type MultusRules } from '../../model/multus-rules.ts';
import { definitionOf } from '../../vm/networks-annotation.ts';
import { MACHINE_NETWORKS_ANNOTATION, nodeNetworkNamesIn, parseNodeNetworks } from '../../vm/node-networks.ts';
import { annotationOf } from '../../vm/object-header.ts';
import { type AdmissionMode, decisionOf, findDenial } from './access-denial.ts';
import type { NetworkAccess } from './ports.ts';

export interface ValidateMachinesDeps {
  readonly mode: AdmissionMode;
  readonly access: NetworkAccess;
  readonly isolation: Pick<MultusRules, 'isNamespaceIsolated' | 'globalNamespaces'>;
  /** `name` or `namespace/name` of the definition that means the node's network. */
  readonly nodeNetwork: string;
}

export const makeValidateMachines =
  (deps: ValidateMachinesDeps) =>
  async (request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionDecision> =>
    decisionOf(deps.mode, deps.mode === 'off' ? undefined : await findRefusal(deps, request, signal));

const findRefusal = async (
  deps: ValidateMachinesDeps,
  { namespace, user, object, oldObject }: AdmissionRequest,
  signal: AbortSignal,
): Promise<Refusal | undefined> => {
  const before = new Set(oldObject && placesOf(oldObject).flatMap(({ text }) => text ?? []));
  const malformed = placesOf(object).flatMap(({ place, text }) => {
    const parsed = parseNodeNetworks(text);
    return parsed.ok || (text !== undefined && before.has(text)) ? [] : [`${place}: ${parsed.problem.message}`];
  });
  if (malformed.length > 0) return { reason: 'Invalid', message: malformed.join('; ') };

  const known = new Set(oldObject && askedBy(oldObject));
  if (askedBy(object).every((name) => known.has(name))) return undefined;
  const { namespace: owner, name } = definitionOf(deps.nodeNetwork, namespace);
  const network = networkName(owner, name);
  const isolated = isolationProblem({ ...deps.isolation, defaultNetworks: new Set() }, namespace, network);
  if (isolated !== undefined) return { reason: 'Forbidden', message: isolated };
  return await findDenial(deps.access, user, [network], signal);
};

/** The annotation, of the machine and of the template that its instances are made from. */
const placesOf = ({ annotations, spec }: AdmittedObject) => [
  { place: 'metadata.annotations', text: annotations[MACHINE_NETWORKS_ANNOTATION] },
  {
    place: 'spec.template.metadata.annotations',
    text: annotationOf(objectIn(spec, 'template'), MACHINE_NETWORKS_ANNOTATION),
  },
];

const askedBy = (object: AdmittedObject): readonly string[] => [
  ...placesOf(object).flatMap(({ text }) => {
    const parsed = parseNodeNetworks(text);
    return parsed.ok ? parsed.networks.map(({ name }) => name) : [];
  }),
  ...nodeNetworkNamesIn(object.spec),
  ...nodeNetworkNamesIn(objectIn(objectIn(object.spec, 'template'), 'spec')),
];
