// One edit of a pod's networks annotation, made again on fresh state when somebody else was faster.
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import { annotationEdits } from '../../vm/object-patch.ts';
import type { NetworksEdit } from '../logic/edit-networks.ts';
import { checkEditable } from '../logic/editable-pod.ts';
import type { Session } from '../session.ts';
import { type ClusterPod, getPod } from './cluster-pod.ts';
import { editObject } from './edit-object.ts';
import { PODS } from './resources.ts';

export const editPodNetworks = async (
  session: Session,
  name: string,
  decide: (found: ClusterPod) => NetworksEdit,
): Promise<NetworksEdit & { readonly object: ClusterPod }> => {
  const ref = { namespace: session.namespace, name };
  return await editObject(session, {
    resource: PODS,
    ref,
    read: async () => {
      const found = await getPod(session, ref.namespace, name);
      const { uid, isDeleting } = found.pod;
      return { ...found, ...ref, uid, isDeleting, hasAnnotations: Object.keys(found.annotations).length > 0 };
    },
    decide: (found) => {
      checkEditable(found);
      const edit = decide(found);
      const change = { key: NETWORKS_ANNOTATION, before: found.pod.networksText, after: edit.text };
      return { ...edit, edits: annotationEdits(found, [change]) };
    },
  });
};
