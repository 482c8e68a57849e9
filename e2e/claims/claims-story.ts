// What stories about claims ask: networks whose addresses are ours to give, claims as the API tells them, and the kernel's word.
import type { ApiClient } from '../api-client.ts';
import { explained } from '../expectations.ts';
import { podDeadlineMs, type Story } from '../fixture.ts';
import type { PodRef } from '../pods.ts';
import { podInterfaceName } from '../vm/vm-objects.ts';

export type Claim = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: { readonly network: string };
  readonly status?: {
    readonly ips?: readonly string[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
};

const claimsPath = (namespace: string) => `/apis/k8s.cni.cncf.io/v1alpha1/namespaces/${namespace}/ipamclaims`;

export const claimsOf = (story: Story, api: () => ApiClient) => {
  const { kubectl, namespace } = story;
  const path = (name: string) => `${claimsPath(namespace)}/${name}`;
  const getClaim = (name: string) => api().get<Claim>(path(name));

  return {
    path,
    getClaim,
    create: (claim: object) =>
      api().create<Claim>(claimsPath(namespace), {
        apiVersion: 'k8s.cni.cncf.io/v1alpha1',
        kind: 'IPAMClaim',
        ...claim,
      }),
    /** What claims call a network of this story. */
    cniName: (name: string) => `${namespace}-${name}`,

    /** Not in the story's own list: its addresses are in claims, and not in a node's address store. */
    network: async (name: string, config: { readonly subnets?: string } & Readonly<Record<string, unknown>>) => {
      await kubectl.apply({
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        metadata: { name, namespace },
        spec: {
          config: JSON.stringify({
            cniVersion: '0.3.1',
            name: `${namespace}-${name}`,
            type: 'bridge',
            bridge: `e2e-c-${name}`,
            capabilities: { ips: true },
            ipam: { type: 'static' },
            allowPersistentIPs: true,
            ...config,
          }),
        },
      });
    },

    allocated: (name: string): Promise<readonly string[]> =>
      explained(
        `claim ${name} to have addresses`,
        async () => {
          const { status } = await getClaim(name);
          const isGiven = status?.conditions?.some(({ type, status: is }) => type === 'IPsAllocated' && is === 'True');
          if (isGiven && status?.ips !== undefined && status.ips.length > 0) return status.ips;
          throw new Error(JSON.stringify(status));
        },
        podDeadlineMs,
      ),

    /** Returns what it says why. */
    refused: (name: string, reason: string): Promise<string> =>
      explained(
        `claim ${name} to be refused`,
        async () => {
          const { status } = await getClaim(name);
          const told = status?.conditions?.find((one) => one.status === 'False' && one.reason === reason);
          if (told === undefined) throw new Error(JSON.stringify(status));
          return told.message;
        },
        podDeadlineMs,
      ),

    gone: (name: string): Promise<boolean> =>
      explained(
        `claim ${name} to be gone`,
        async () => {
          const { exitCode } = await kubectl.try(['-n', namespace, 'get', 'ipamclaims', name]);
          if (exitCode === 0) throw new Error('it is there');
          return true;
        },
        podDeadlineMs,
      ),

    /** Of the owner of a claim. */
    expectEvent: (owner: string, reason: string): Promise<string> =>
      explained(
        `an event ${reason} on ${owner}`,
        async () => {
          const selector = encodeURIComponent(`involvedObject.name=${owner},reason=${reason}`);
          const events = `/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`;
          const { items } = await api().get<{ items: readonly { readonly message: string }[] }>(events);
          if (items[0] === undefined) throw new Error('there is none');
          return items[0].message;
        },
        podDeadlineMs,
      ),

    /** The kernel's word: the interface in the pod has exactly the claim's addresses. */
    expectInPod: (pod: PodRef, logical: string, ips: readonly string[], iface = podInterfaceName(logical)) =>
      explained(
        `${logical} in the pod to have ${ips.join(', ')}`,
        async () => {
          const link = (await story.links(pod)).find(({ ifname }) => ifname === iface);
          const wanted = ips.map((ip) => ip.split('/')[0]).toSorted();
          if (JSON.stringify(link?.addresses.toSorted()) === JSON.stringify(wanted)) return true;
          throw new Error(JSON.stringify(link));
        },
        podDeadlineMs,
      ),
  };
};
