// The name of a claim: that of the workload and of its network, made fit for Kubernetes.

const MAX_NAME = 253;
const PARTS = /[a-z0-9]([-a-z0-9]*[a-z0-9])?/g;

/** `<virtual machine>.<network of its spec>`, or `<pod>.<interface>`: every run that may stand in a name, joined by dots. */
export const claimName = (workload: string, network: string): string =>
  (`${workload}.${network}`.toLowerCase().match(PARTS) ?? []).join('.').slice(0, MAX_NAME);
