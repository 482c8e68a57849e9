// kubectl dnet claims: who has which addresses for good.
import { type Claim, findAllocatedCondition } from '../../ipam/claim.ts';
import { CliError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { findClaims } from '../gather/claims.ts';
import { age } from '../render/age.ts';
import { printAnswer } from '../render/answer.ts';
import { renderTable } from '../render/table.ts';
import { scopeOf } from '../session.ts';

export const addClaims: AddCommand = ({ program, run }) => {
  const command = program
    .command('claims')
    .summary('persistent addresses: who has which')
    .description('Lists IPAMClaims: their network, their owner, and the addresses that they keep.')
    .argument('[NAME]', 'one claim');
  run(command, async (session) => {
    const [name] = command.args;
    const all = await findClaims(session, scopeOf(session));
    if (all === undefined) throw withoutClaims();
    const claims = all.filter((claim) => name === undefined || claim.name === name);
    if (name !== undefined && claims.length === 0) {
      throw new CliError(
        `claim ${session.namespace}/${name} does not exist`,
        'kubectl dnet claims -A lists those that do',
      );
    }
    const items = claims.map(describe);
    const { style } = session.terminal;
    printAnswer(session, {
      kind: 'ClaimList',
      content: { items },
      table: (width) =>
        renderTable({
          heads: [
            ...(session.isAllNamespaces ? ['NAMESPACE'] : []),
            'NAME',
            'NETWORK',
            'OWNER',
            'ADDRESSES',
            'ALLOCATED',
            'AGE',
          ],
          rows: items.map((item) => ({
            cells: [
              ...(session.isAllNamespaces ? [item.namespace] : []),
              item.name,
              item.network,
              item.owner ?? '-',
              item.ips.join(',') || '-',
              item.allocated === false ? { text: 'no', look: style.bad } : item.allocated === true ? 'yes' : '-',
              age(item.createdAt, session.now()),
            ],
            ...(item.allocated === false && { notes: [`${item.reason}: ${item.message}`], noteLook: style.notice }),
          })),
          width,
        }),
    });
    if (items.length === 0) session.terminal.note('No claims.');
    return undefined;
  });
};

export const withoutClaims = (): CliError =>
  new CliError(
    'this cluster has no IPAMClaims (ipamclaims.k8s.cni.cncf.io)',
    'the gate VMPersistentIPs brings them; docs of persistent addresses say more',
  );

const describe = (claim: Claim) => {
  const condition = findAllocatedCondition(claim);
  const owner = claim.owners[0];
  return {
    namespace: claim.namespace,
    name: claim.name,
    network: claim.network,
    ...(claim.interface !== '' && { interface: claim.interface }),
    ...(owner !== undefined && { owner: `${owner.kind}/${owner.name}` }),
    ips: claim.ips,
    ...(claim.requested.length > 0 && { requested: claim.requested }),
    ...(condition !== undefined && { allocated: condition.status === 'True' }),
    ...(condition?.status === 'False' && { reason: condition.reason, message: condition.message }),
    deleting: claim.isDeleting,
    createdAt: claim.createdAt,
  };
};
