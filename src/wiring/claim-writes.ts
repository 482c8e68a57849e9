// Writes of claims, each guarded by what the claim was read as, with the answer taken in ahead of the watch.
import type { ClaimWrites } from '../controller/claims/apply-claim-plan.ts';
import type { AllocatorDeps } from '../controller/claims/ports.ts';
import { type Claim, viewClaim } from '../ipam/claim.ts';
import { withCondition } from '../ipam/claim-condition.ts';
import { ipamClaims } from '../kube/resource.ts';
import type { FeatureContext } from './feature.ts';

export interface ClaimStatusWrites extends ClaimWrites {
  readonly status: AllocatorDeps['writeStatus'];
}

export const makeClaimWrites = ({ watched, writer }: Pick<FeatureContext, 'watched' | 'writer'>): ClaimStatusWrites => {
  const claims = watched.claims();
  const asRead = ({ uid, resourceVersion }: Claim) =>
    [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ] as const;
  return {
    create: async (namespace, claim, signal) => {
      claims.accept(await writer.create(ipamClaims, namespace, claim, signal));
    },
    remove: async ({ key, uid, resourceVersion }, signal) => {
      const answer = await writer.remove(ipamClaims, key, { uid, resourceVersion }, signal);
      // Without finalizers it is gone already, and must not come back by way of the answer.
      return viewClaim(answer)?.finalizers.length ? claims.accept(answer) : undefined;
    },
    setFinalizers: async (claim, finalizers, signal) => {
      const operations = [...asRead(claim), { op: 'add', path: '/metadata/finalizers', value: finalizers } as const];
      const answer = await writer.patch(ipamClaims, claim.key, operations, { signal });
      // The last finalizer of a claim that is being deleted takes the claim with it: the watch tells.
      if (!claim.isDeleting || finalizers.length > 0) claims.accept(answer);
    },
    status: async (claim, { ips, condition }, signal) => {
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = withCondition(claim.conditions, condition, now);
      const changes = claim.hasStatus
        ? [
            { op: 'add', path: '/status/ips', value: ips } as const,
            { op: 'add', path: '/status/conditions', value: conditions } as const,
          ]
        : [{ op: 'add', path: '/status', value: { ips, conditions } } as const];
      const options = { signal, subresource: 'status' } as const;
      claims.accept(await writer.patch(ipamClaims, claim.key, [...asRead(claim), ...changes], options));
    },
  };
};
