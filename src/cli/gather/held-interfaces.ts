// What the agents hold in their ledgers, all of them together.
import { askLedger, type HeldInterface, listOurPods, type OurPod, type ProxyReader } from './our-pods.ts';

export interface Holdings {
  readonly held: readonly (HeldInterface & { readonly node: string })[];
  /** Agents that could not be asked: what they hold is not known. */
  readonly silent: readonly OurPod[];
}

export const readHoldings = async (reader: ProxyReader, namespace: string): Promise<Holdings> => {
  const agents = (await listOurPods(reader, namespace)).filter(({ component }) => component === 'agent');
  const asked = await Promise.all(agents.map(async (pod) => ({ pod, ledger: await askLedger(reader, pod) })));
  return {
    held: asked.flatMap(({ pod, ledger }) => (ledger ?? []).map((entry) => ({ ...entry, node: pod.node }))),
    silent: asked.filter(({ ledger }) => ledger === undefined).map(({ pod }) => pod),
  };
};
