/** A pod's sandbox as the runtime has it now: where its interfaces are plugged. */
export interface Sandbox {
  /** The container id that CNI plugins know the pod by. */
  readonly id: string;
  readonly netns: string;
}
