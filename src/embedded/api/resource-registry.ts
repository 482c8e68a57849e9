// Which resources the embedded API server serves, and how each behaves.
// Promises: a plural name belongs to one group (the object store is keyed by it), and a resource can be registered
// while the server runs, as a CRD would be.

export interface ResourceDefinition {
  /** '' is the core group. */
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
  statusSubresource: boolean;
  shortNames?: string[];
  /** Part of Kubernetes itself rather than a CRD: takes strategic merge patches, lists items without kind. */
  builtin?: boolean;
  /** A PUT may leave out metadata.resourceVersion. CRDs, leases and service accounts insist on it. */
  unconditionalUpdate?: boolean;
  /** metadata.generation counts the changes of what is neither metadata nor status. Defaults to true for CRDs. */
  counted?: boolean;
}

const core = { group: '', version: 'v1', builtin: true, unconditionalUpdate: true } as const;

const served: ResourceDefinition[] = [
  {
    ...core,
    plural: 'pods',
    kind: 'Pod',
    namespaced: true,
    statusSubresource: true,
    counted: true,
    shortNames: ['po'],
  },
  { ...core, plural: 'nodes', kind: 'Node', namespaced: false, statusSubresource: true, shortNames: ['no'] },
  { ...core, plural: 'namespaces', kind: 'Namespace', namespaced: false, statusSubresource: true, shortNames: ['ns'] },
  { ...core, plural: 'events', kind: 'Event', namespaced: true, statusSubresource: false, shortNames: ['ev'] },
  { ...core, plural: 'configmaps', kind: 'ConfigMap', namespaced: true, statusSubresource: false, shortNames: ['cm'] },
  { ...core, plural: 'secrets', kind: 'Secret', namespaced: true, statusSubresource: false },
  {
    ...core,
    unconditionalUpdate: false,
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    namespaced: true,
    statusSubresource: false,
    shortNames: ['sa'],
  },
  ...(['Validating', 'Mutating'] as const).map((kind) => ({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    builtin: true,
    plural: `${kind.toLowerCase()}webhookconfigurations`,
    kind: `${kind}WebhookConfiguration`,
    namespaced: false,
    statusSubresource: false,
    counted: true,
  })),
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    builtin: true,
    plural: 'leases',
    kind: 'Lease',
    namespaced: true,
    statusSubresource: false,
  },
  {
    group: 'k8s.cni.cncf.io',
    version: 'v1',
    plural: 'network-attachment-definitions',
    kind: 'NetworkAttachmentDefinition',
    namespaced: true,
    statusSubresource: false,
    shortNames: ['net-attach-def'],
  },
];

export class ResourceRegistry {
  readonly #byPlural = new Map<string, ResourceDefinition>();

  constructor() {
    for (const definition of served) this.register(definition);
  }

  register(definition: ResourceDefinition): void {
    const known = this.#byPlural.get(definition.plural);
    if (known !== undefined && (known.group !== definition.group || known.version !== definition.version)) {
      throw new Error(
        `plural must be of one group and version: ${definition.plural} is already ${apiVersionOf(known)}, not ${apiVersionOf(definition)}`,
      );
    }
    this.#byPlural.set(definition.plural, definition);
  }

  find(plural: string): ResourceDefinition | undefined {
    return this.#byPlural.get(plural);
  }

  findServed(group: string, version: string, plural: string): ResourceDefinition | undefined {
    const known = this.#byPlural.get(plural);
    return known !== undefined && known.group === group && known.version === version ? known : undefined;
  }

  all(): ResourceDefinition[] {
    return [...this.#byPlural.values()];
  }
}

export const apiVersionOf = (definition: ResourceDefinition): string =>
  definition.group === '' ? definition.version : `${definition.group}/${definition.version}`;

export const isCounted = (definition: ResourceDefinition): boolean => definition.counted ?? !definition.builtin;
