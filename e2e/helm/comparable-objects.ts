// What kustomize and Helm make of one source, without what has to differ between them.
import { load } from 'js-yaml';

export type KubeObject = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
};

/** kustomize names ConfigMaps after their content; so do the volumes that mount them. */
const withoutHash = (name: string): string => name.replace(/-[0-9a-z]{10}$/, '');

/** Settings are compared by what they say: only kustomize keeps the comments of the file. */
const comparableSettings = (object: KubeObject): object => ({
  ...object,
  metadata: { ...object.metadata, name: withoutHash(object.metadata.name) },
  data: Object.fromEntries(Object.entries(object.data ?? {}).map(([file, text]) => [file, load(text)])),
});

/** The checksum restarts pods where the name of their ConfigMap stays the same. */
const isOnlyOfHelm = (key: string, value: unknown): boolean =>
  key === 'annotations' && JSON.stringify(Object.keys(Object(value))) === '["checksum/settings"]';

const comparableWorkload = (object: KubeObject): object =>
  JSON.parse(JSON.stringify(object), (key, value: unknown) => {
    if (isOnlyOfHelm(key, value)) return undefined;
    const isVolumeSource = key === 'configMap' && typeof value === 'object' && value !== null && 'name' in value;
    return isVolumeSource ? { ...value, name: withoutHash(String(value.name)) } : value;
  });

const comparable = (object: KubeObject): object =>
  object.kind === 'ConfigMap' ? comparableSettings(object) : comparableWorkload(object);

/** `Kind namespace/name` -> object. The namespace itself is left out: Helm is given one. */
export const comparableObjects = (objects: readonly KubeObject[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .map((object) => {
        const { namespace = '', name } = object.metadata;
        const plain = object.kind === 'ConfigMap' ? withoutHash(name) : name;
        return [`${object.kind} ${namespace}/${plain}`, comparable(object)] as const;
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
