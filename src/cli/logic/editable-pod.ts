// Whose annotation it is: some pods' annotations are written by others, and an edit of ours would be undone or do harm.
import { CliError } from '../cli-error.ts';
import type { ClusterPod } from '../gather/cluster-pod.ts';

export const checkEditable = ({ pod, vm }: ClusterPod): void => {
  if (vm !== undefined || pod.isLauncherPod) {
    throw new CliError(
      `pod ${pod.key} runs the virtual machine ${vm ?? '(unknown)'}, whose manager writes its networks annotation`,
      `use kubectl dnet addinterface ${vm ?? 'VM'} or removeinterface ${vm ?? 'VM'} -n ${pod.namespace}`,
    );
  }
  if (pod.isHostNetwork) {
    throw new CliError(
      `pod ${pod.key} uses the network of its node (hostNetwork), so no interface can be plugged into it`,
      'plug into a pod with a network of its own',
    );
  }
  if (pod.isDeleting || pod.hasEnded) {
    throw new CliError(`pod ${pod.key} is ending`, 'plug into its successor, or into the template that makes it');
  }
};

/** Said after an edit that ends with this pod. */
export const ownerNote = ({ owner }: ClusterPod): string | undefined =>
  owner === undefined
    ? undefined
    : `note: this pod only; to have it in the pods that ${owner.kind} ${owner.name} makes next, edit the pod template as well`;
