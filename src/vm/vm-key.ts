/** `namespace/name` that a virtual machine, its running instance and their reconcile share. */
export type VmKey = string & { readonly brand: 'VmKey' };

export const vmKey = (namespace: string, name: string): VmKey => `${namespace}/${name}` as VmKey;
