// The objects of the embedded cluster, as the API server serves them and the simulated kubelet changes them.
// Promises: every change gets a new, cluster-wide increasing resourceVersion; what is handed out is deeply frozen
// and never changes afterwards (a later change makes a new object); what is handed in is copied; finalizers and
// deletionTimestamp behave as in Kubernetes; listeners see every change once, in order.

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  generateName?: string;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [field: string]: unknown;
}

/** What a caller may give to create: the server fills in the rest of the metadata. */
export type NewKubeObject = Omit<KubeObject, 'metadata'> & { metadata: Partial<ObjectMeta> };

/** A plural resource name as it stands in URLs: 'pods', 'nodes', 'events', 'leases', 'network-attachment-definitions'. */
export type ResourceName = string;

export interface ObjectRef {
  resource: ResourceName;
  namespace?: string;
  name: string;
}

export interface ObjectChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: ResourceName;
  /** The object after the change; for DELETED its last state, with the resourceVersion of the deletion. */
  object: KubeObject;
  /** The object before the change; absent for ADDED. */
  previous?: KubeObject;
}

export interface RemoveOptions {
  gracePeriodSeconds?: number;
  /** Preconditions: a conflict ApiError is thrown if the object has another uid or resourceVersion. */
  uid?: string;
  resourceVersion?: string;
}

export interface ObjectStore {
  find(ref: ObjectRef): KubeObject | undefined;
  list(resource: ResourceName, namespace?: string): KubeObject[];
  create(resource: ResourceName, object: NewKubeObject): KubeObject;
  /** Read-modify-write of one object; `change` edits a draft. Throws a not-found ApiError if it is gone. */
  modify(ref: ObjectRef, change: (draft: KubeObject) => void): KubeObject;
  /** As DELETE does: pods get a deletionTimestamp unless the grace period is 0; objects with finalizers stay until these are gone. */
  remove(ref: ObjectRef, options?: RemoveOptions): void;
  /** Called after every change; returns the function that ends the subscription. */
  subscribe(listener: (change: ObjectChange) => void): () => void;
}
