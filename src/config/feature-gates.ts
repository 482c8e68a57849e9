// What the controller does beyond the agents, each part off until somebody turns it on.
import * as z from 'zod/mini';
import type { Field } from './field.ts';

export const gateDescriptions = {
  HotplugNICs:
    'interfaces of virtual machines are plugged and unplugged by us, for clusters whose KubeVirt does not do it itself',
  PodInterfaceName: "the real name of a virtual machine's primary interface, in its status and for migration targets",
  DeviceMap: 'maps of SR-IOV networks to PCI addresses, as annotations of launcher pods',
  VMPersistentIPs: 'IPAMClaims for virtual machines and opted-in pods, and the addresses of networks with subnets',
  NodeNetwork: "the network of a virtual machine's node, for machines that ask for it",
  NetworksAdmission: 'an admission webhook that checks who asks for which network in a pod',
} as const;

export type Gate = keyof typeof gateDescriptions;
export const gateNames = Object.keys(gateDescriptions).filter((name): name is Gate => name in gateDescriptions);

export type Gates = ReadonlySet<Gate>;

const parts = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const isGate = (name: string): name is Gate => Object.hasOwn(gateDescriptions, name);

/** As Kubernetes writes it: `Name=true,Other=false`; of two that name one gate the later counts. */
export const featureGates = (spec: { readonly description: string }): Field<Gates> => ({
  schema: z.pipe(
    z.string().check(
      z.refine((value: string) =>
        parts(value).every((part) => {
          const [name = '', state = '', ...rest] = part.split('=');
          return isGate(name) && (state === 'true' || state === 'false') && rest.length === 0;
        }),
      ),
    ),
    z.transform((value: string) => {
      const on = new Set<Gate>();
      for (const part of parts(value)) {
        const [name = '', state] = part.split('=');
        if (!isGate(name)) continue;
        if (state === 'true') on.add(name);
        else on.delete(name);
      }
      return on;
    }),
  ),
  allowed: `NAME=true or NAME=false, separated by commas; names: ${gateNames.join(', ')}`,
  placeholder: 'NAME=BOOL,…',
  default: '',
  isAdditive: true,
  ...spec,
});
