// Whether the agent has dealt with what the annotation says now: done it, or said why it cannot.
import { parseNetworks } from '../../model/parse-networks.ts';
import { type Difference, findDifferences, findLeftovers, isSecondary, matchRows } from './judge.ts';
import type { Snapshot } from './snapshot.ts';

export type Settlement =
  | { readonly kind: 'done' }
  /** The agent says why it cannot. */
  | { readonly kind: 'complaint'; readonly message: string }
  | { readonly kind: 'open'; readonly differences: readonly Difference[] };

export const settlementOf = (snapshot: Snapshot, podNamespace: string): Settlement => {
  const { pod, condition } = snapshot;
  if (pod === undefined) return ofDifferences(findLeftovers(snapshot));
  const parsed = parseNetworks(pod.networks, podNamespace);
  const message = condition?.status === 'False' ? condition.message : '';
  if (!parsed.ok) {
    const problem = parsed.problems[0]?.message ?? '';
    if (condition?.reason === 'InvalidNetworks' && message.includes(problem)) return { kind: 'complaint', message };
    return ofDifferences([{ expected: `the agent complains: ${problem}`, seen: message || 'nothing' }]);
  }
  const attachments = parsed.selections.map(({ network, interface: name }) => ({
    network,
    ...(name !== undefined && { interface: name }),
  }));
  const differences = findDifferences(snapshot, { attachments, ready: 'True' });
  const { pairs, rest } = matchRows(snapshot.rows.filter(isSecondary), attachments);
  // A complaint counts only if it is about this very request: what is wanted is reported on, what is not wanted is stuck.
  const isAbout =
    pairs.every(({ wanted, row }) => row?.report?.network === wanted.network) &&
    rest.every(({ report }) => report?.reason === 'FailedRemovingInterface');
  if (isAbout && message !== '' && condition?.reason !== 'InvalidNetworks') return { kind: 'complaint', message };
  return ofDifferences(differences);
};

const ofDifferences = (differences: readonly Difference[]): Settlement =>
  differences.length === 0 ? { kind: 'done' } : { kind: 'open', differences };
