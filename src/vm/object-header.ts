// What every object of the API has, as far as finding it, guarding a write of it and telling of it need it.
import { hasObject, listIn, objectIn, textIn } from '../model/json-fields.ts';

export interface ObjectHeader {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDeleting: boolean;
  /** False when there is no annotation at all: a JSON patch then has to make the map first. */
  readonly hasAnnotations: boolean;
}

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Undefined when it is no object that an API server could have sent. */
export const parseHeader = (object: unknown): ObjectHeader | undefined => {
  const metadata = objectIn(object, 'metadata');
  const { namespace, name, uid, resourceVersion } = metadata;
  if (!isText(namespace) || !isText(name) || !isText(uid) || !isText(resourceVersion)) return undefined;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    isDeleting: metadata['deletionTimestamp'] !== undefined,
    hasAnnotations: hasObject(metadata, 'annotations'),
  };
};

export const annotationOf = (object: unknown, key: string): string | undefined =>
  textIn(objectIn(objectIn(object, 'metadata'), 'annotations'), key);

export const labelOf = (object: unknown, key: string): string | undefined =>
  textIn(objectIn(objectIn(object, 'metadata'), 'labels'), key);

/** The one owner that manages the object, if any. */
export const controllerOf = (object: unknown): OwnerReference | undefined => {
  const owner = listIn(objectIn(object, 'metadata'), 'ownerReferences').find(
    (reference) => objectIn({ reference }, 'reference')['controller'] === true,
  );
  const [kind, name, uid] = [textIn(owner, 'kind'), textIn(owner, 'name'), textIn(owner, 'uid')];
  return kind && name && uid ? { kind, name, uid } : undefined;
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
