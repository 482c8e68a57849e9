// Addresses of host-local that nobody uses any more, for people who ask an agent: their files are on its node, and only there.
export interface ReservedAddress {
  readonly network: string;
  readonly address: string;
  readonly containerId: string;
  readonly interface: string;
  readonly sinceMs: number;
}

export interface AddressesPage {
  readonly reserved: number;
  /** Their sandbox does not exist. */
  readonly leaked: readonly {
    readonly network: string;
    readonly address: string;
    readonly containerId: string;
    readonly interface: string;
  }[];
}

/** A sandbox has its addresses before the runtime lists it: one that is being made is not a leak. */
const SETTLED_MS = 120_000;

export const describeAddresses = (
  reservations: readonly ReservedAddress[],
  sandboxIds: ReadonlySet<string>,
  nowMs: number,
): AddressesPage => ({
  reserved: reservations.length,
  leaked: reservations
    .filter(({ containerId, sinceMs }) => !sandboxIds.has(containerId) && nowMs - sinceMs > SETTLED_MS)
    .map(({ sinceMs: _, ...address }) => address),
});
