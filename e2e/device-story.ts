// Devices for stories, on top of `withNamespace`: registers a hook that brings up the harness' device plugin and its CNI plugin.
import { beforeAll, inject } from 'vitest';
import { ensureDeviceNetwork } from './cluster/device-network.ts';
import type { Story } from './fixture.ts';
import { attachPlace } from './place-of-target.ts';
import { type PodRef, statusOf } from './pods.ts';

/** The first run ever builds the plugins. */
const buildDeadlineMs = 10 * 60_000;

export const withDevices = (story: Story) => {
  const target = inject('target');

  beforeAll(async () => {
    if (target.canBuild) await ensureDeviceNetwork(await attachPlace(target));
  }, buildDeadlineMs);

  return {
    /** PCI addresses that the kubelet gave to the pod's container. */
    devicesOf: async (pod: PodRef): Promise<readonly string[]> => {
      const text = await story.exec(pod, ['sh', '-c', 'env | grep ^PCIDEVICE_EXAMPLE_COM_VF=']);
      return text.trim().split('=').at(-1)?.split(',') ?? [];
    },
    /** PCI address -> "<container id> <interface>", as the CNI plugin keeps it on the pod's node. */
    holders: async (node: string): Promise<ReadonlyMap<string, string>> => {
      const script =
        'cd /run/sriov-like 2>/dev/null || exit 0; for f in *; do [ -f "$f" ] && echo "$f $(cat "$f")"; done; true';
      const listing = await story.host(node).run(['sh', '-c', script]);
      const lines = listing.split('\n').filter((line) => line !== '');
      return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
    },
    /** Interface -> PCI address, as network-status tells. */
    reportedDevices: async (pod: PodRef): Promise<Readonly<Record<string, string>>> =>
      Object.fromEntries(
        statusOf(await story.getPod(pod)).flatMap((entry) => {
          const address = entry['device-info']?.pci?.['pci-address'];
          return entry.interface === undefined || address === undefined ? [] : [[entry.interface, address]];
        }),
      ),
  };
};
