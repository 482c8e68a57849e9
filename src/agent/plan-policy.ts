import type { PlanPolicy } from '../model/plan-attachments.ts';
import type { Pod } from '../model/pod.ts';
import type { AgentDeps } from './ports.ts';

export const planPolicy = ({ networks, deviceAttachments }: AgentDeps, pod: Pod): PlanPolicy => ({
  isLauncherPod: pod.isLauncherPod,
  deviceAttachments,
  resourceOf: (network) => networks.find(network)?.resourceName,
});
