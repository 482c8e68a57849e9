// What the API server asks before it stores an object, and what may be answered. The parts of an object that decisions need,
// and no more: the rest of a pod is nobody's business here.

/** Who sent the request, as the API server authenticated them. Service accounts are users too. */
export interface Requester {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface AdmittedObject {
  /** Empty while a generated name is not yet chosen. */
  readonly name: string;
  readonly generateName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly ObjectOwner[];
  /** As it was written, for kinds whose networks stand there. */
  readonly spec?: unknown;
}

export interface ObjectOwner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly isController: boolean;
}

export interface AdmissionRequest {
  /** Of the request, not of the object: logs of the API server and ours meet in it. */
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly namespace: string;
  readonly user: Requester;
  readonly object: AdmittedObject;
  /** What the object was; undefined for CREATE. */
  readonly oldObject: AdmittedObject | undefined;
}

/** RFC 6902, as little of it as is used. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

export interface Refusal {
  /** Invalid: the object is wrong. Forbidden: the user may not. Unavailable: nobody can tell now. Conflict: somebody else's. */
  readonly reason: 'Invalid' | 'Forbidden' | 'ServiceUnavailable' | 'Conflict';
  readonly message: string;
  /** Clients of Kubernetes repeat the request by themselves after this time. */
  readonly retryAfterSeconds?: number;
}

export interface AdmissionDecision {
  /** Undefined: the request may pass. */
  readonly refusal?: Refusal;
  readonly warnings?: readonly string[];
  readonly patch?: readonly PatchOperation[];
}

export const admitted: AdmissionDecision = {};
