// What a claim says about its addresses: the condition IPsAllocated. While it is True its message is the list of addresses
// that were given, as `status.ips` has them, and nothing else: so an edit of `status.ips` can be told from what we gave.
import type { JsonObject } from '../model/json.ts';

export const ALLOCATED_CONDITION = 'IPsAllocated';

export type RefusalReason =
  /** Every address of a family is taken. */
  | 'PoolExhausted'
  /** An address that the claim has or asks for belongs to somebody else. */
  | 'Conflict'
  /** The network's config names no addresses that could be given. */
  | 'InvalidNetwork'
  /** An address that the claim asks for is none that the network could give to anybody. */
  | 'InvalidRequest';

export interface ClaimCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: 'Allocated' | RefusalReason;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export const allocatedCondition = (ips: readonly string[]): Omit<ClaimCondition, 'lastTransitionTime'> => ({
  type: ALLOCATED_CONDITION,
  status: 'True',
  reason: 'Allocated',
  message: ips.join(', '),
});

export const refusedCondition = (
  reason: RefusalReason,
  message: string,
): Omit<ClaimCondition, 'lastTransitionTime'> => ({ type: ALLOCATED_CONDITION, status: 'False', reason, message });

type Wanted = Omit<ClaimCondition, 'lastTransitionTime'>;

export const isToldAlready = (conditions: readonly JsonObject[], wanted: Wanted): boolean => {
  const present = conditions.find(({ type }) => type === wanted.type);
  return (
    present?.['status'] === wanted.status &&
    present['reason'] === wanted.reason &&
    present['message'] === wanted.message
  );
};

/** The list with ours in it, those of others as they were. */
export const withCondition = (
  conditions: readonly JsonObject[],
  wanted: Wanted,
  now: string,
): readonly JsonObject[] => {
  if (isToldAlready(conditions, wanted)) return conditions;
  const present = conditions.find(({ type }) => type === wanted.type);
  const since = present?.['status'] === wanted.status ? present['lastTransitionTime'] : undefined;
  const condition = { ...wanted, lastTransitionTime: typeof since === 'string' ? since : now };
  return [...conditions.filter(({ type }) => type !== wanted.type), condition];
};
