// What the webhook for claimed addresses looks up, on the watches that the claims feature has anyway.
import type { MutateClaimsDeps } from '../controller/admission/mutate-claims.ts';
import type { AddressClaim, AddressSource, Machine } from '../controller/admission/ports.ts';
import { type Claim, findAllocatedCondition, isConfirmed } from '../ipam/claim.ts';
import { readNetworkConfig } from '../ipam/network-config.ts';
import { ObjectWaiter } from '../kube/object-waiter.ts';
import { findNetworkName, type NetworkName, networkName } from '../model/keys.ts';
import type { RunningMachine } from '../vm/vmi-view.ts';
import type { FeatureContext } from './feature.ts';

export const makeClaimLookups = ({
  watched,
}: Pick<FeatureContext, 'watched'>): Pick<MutateClaimsDeps, 'machines' | 'networks' | 'claims'> => {
  const instances = watched.instances();
  const networks = watched.networks();
  const claims = new ObjectWaiter(watched.claims());
  return {
    machines: {
      find: (namespace, name) => viewMachine(instances.find(`${namespace}/${name}`)),
      fetch: async (namespace, name, signal) => viewMachine(await instances.refresh(`${namespace}/${name}`, signal)),
    },
    networks: {
      findSource: async (network, signal) => {
        const definition = networks.find(network) ?? (await networks.refresh(network, signal));
        return definition === undefined ? 'none' : sourceOf(network, definition.config);
      },
    },
    claims: {
      waitFor: async (key, isEnough, waitMs, signal) => {
        const claim = await claims.waitFor(key, (candidate) => isEnough(viewClaim(candidate)), waitMs, signal);
        return claim && viewClaim(claim);
      },
    },
  };
};

const viewMachine = (machine: RunningMachine | undefined): Machine | undefined =>
  machine && {
    uid: machine.uid,
    ownerUid: machine.owner?.uid,
    networks: machine.spec.networks.flatMap(({ name, definition, isSecondary }) => {
      if (!isSecondary || definition === undefined) return [];
      return [{ name, network: findNetworkName(definition) ?? networkName(machine.namespace, definition) }];
    }),
  };

const sourceOf = (network: NetworkName, config: string): AddressSource => {
  const reading = readNetworkConfig(network, config);
  switch (reading.state) {
    case 'off':
    // Multus cannot read it either.
    case 'unreadable':
      return 'none';
    // Its claims say what is wrong with it.
    case 'invalid':
      return 'ours';
    case 'on':
      return reading.network.allocator;
  }
};

/** Addresses that somebody wrote into the claim count only once the allocator has confirmed them. */
const viewClaim = (claim: Claim): AddressClaim => {
  const condition = findAllocatedCondition(claim);
  const refusal = condition?.status === 'False' && {
    refusal: { reason: String(condition.reason), message: String(condition.message) },
  };
  return {
    owners: claim.owners.map(({ uid }) => uid),
    isDeleting: claim.isDeleting,
    ips: isConfirmed(claim) ? claim.ips : [],
    ...refusal,
  };
};
