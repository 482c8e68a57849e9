// A pod of the API, reduced to what the invariant compares.
import { type Pod, reportsOf, statusOf } from '../pods.ts';
import type { PodView } from './invariant.ts';

export const viewOf = (pod: Pod): PodView => ({
  name: pod.metadata.name,
  uid: pod.metadata.uid,
  isTerminating: pod.metadata.deletionTimestamp !== undefined,
  reported: Object.fromEntries(
    statusOf(pod)
      .filter((entry) => entry.default !== true)
      .map(({ name, interface: ifname = '', ips }) => [
        ifname,
        { network: name.split('/').at(-1) ?? name, address: ips?.[0] ?? 'nothing' },
      ]),
  ),
  notReady: reportsOf(pod)
    .filter(({ ready }) => !ready)
    .map((one) => `${one.interface}: ${one.message ?? 'no reason'}`),
});
