// kubectl dnet pools: how full the networks are whose addresses we give out.
import type { AddCommand } from '../command-host.ts';
import { findClaims, listNetworkSources } from '../gather/claims.ts';
import { describePools } from '../logic/describe-pools.ts';
import { printAnswer } from '../render/answer.ts';
import { renderTable } from '../render/table.ts';

/** From here on somebody should make it larger: the alert rules say the same. */
const FULL_PERCENT = 80;

export const addPools: AddCommand = ({ program, run }) => {
  const command = program
    .command('pools')
    .summary('how full networks with persistent addresses are')
    .description(
      'Shows, for every network with allowPersistentIPs and subnets, how many addresses there are and how many are claimed. Networks belong to the whole cluster, so all namespaces are read.',
    );
  run(command, async (session) => {
    const [sources, claims] = await Promise.all([listNetworkSources(session), findClaims(session, undefined)]);
    const { pools, problems } = describePools(sources, claims ?? []);
    const { style } = session.terminal;
    printAnswer(session, {
      kind: 'PoolList',
      content: { items: pools, problems },
      table: (width) =>
        renderTable({
          heads: ['NETWORK', 'FAMILY', 'SUBNETS', 'SIZE', 'USED', 'FREE', 'FULL', 'CLAIMS', 'WAITING'],
          rows: pools.map((pool) => ({
            cells: [
              pool.network,
              pool.family,
              pool.subnets.join(','),
              shortCount(pool.size),
              shortCount(pool.used),
              shortCount(pool.free),
              { text: `${pool.usedPercent}%`, look: pool.usedPercent >= FULL_PERCENT ? style.bad : style.good },
              String(pool.claims),
              pool.waiting === 0 ? '0' : { text: String(pool.waiting), look: style.bad },
            ],
          })),
          width,
        }),
    });
    for (const { problem } of problems)
      session.terminal.note(`${session.terminal.noteStyle.notice('warning:')} ${problem}`);
    if (pools.length === 0)
      session.terminal.note(
        'No network has persistent addresses that we give out: allowPersistentIPs and subnets in its config make one.',
      );
    if (claims === undefined)
      session.terminal.note('note: the cluster has no IPAMClaims, so nothing can be claimed yet');
    return undefined;
  });
};

/** A network of IPv6 has addresses by the trillion: nobody reads twenty digits. */
const shortCount = (digits: string): string => (digits.length <= 8 ? digits : `~${Number(digits).toExponential(1)}`);
