// kubectl dnet networks: the networks there are, and who is on them.
import { ApiError } from '../../kube/api-error.ts';
import { CliError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { type ClusterPod, listPods } from '../gather/cluster-pod.ts';
import { listNetworks } from '../gather/network-definitions.ts';
import { describeNetworks } from '../logic/network-users.ts';
import { describePodNetworks } from '../logic/pod-networks.ts';
import { printAnswer } from '../render/answer.ts';
import { renderTable } from '../render/table.ts';
import { type Session, scopeOf } from '../session.ts';

export const addNetworks: AddCommand = ({ program, run }) => {
  const command = program
    .command('networks')
    .summary('networks, and who is on them')
    .description(
      'Lists NetworkAttachmentDefinitions with their plugin, their address management, and the interfaces on them.',
    )
    .argument('[NETWORK]', 'one network, with everyone who is on it');
  run(command, async (session) => {
    const [name] = command.args;
    const [definitions, pods] = await Promise.all([listNetworks(session, scopeOf(session)), podsAnywhere(session)]);
    const all = describeNetworks([...definitions.values()], pods.map(describePodNetworks));
    const items = all.filter((item) => name === undefined || item.name === name);
    if (name !== undefined && items.length === 0) {
      throw new CliError(
        `network ${session.namespace}/${name} does not exist`,
        'kubectl dnet networks -A lists those that do',
      );
    }
    printAnswer(session, {
      kind: 'NetworkList',
      content: { items },
      table: (width) =>
        renderTable({
          heads: [
            ...(session.isAllNamespaces ? ['NAMESPACE'] : []),
            'NAME',
            'TYPE',
            'IPAM',
            'SUBNETS',
            'INTERFACES',
            'NOT READY',
          ],
          rows: items.map((item) => ({
            cells: [
              ...(session.isAllNamespaces ? [item.namespace] : []),
              item.name,
              item.type ?? '-',
              item.ipam ?? '-',
              item.subnets.join(',') || '-',
              String(item.users.length),
              item.notReady === 0 ? '0' : { text: String(item.notReady), look: session.terminal.style.bad },
            ],
            ...(item.problem !== undefined && { notes: [item.problem] }),
            ...((name !== undefined || width === Number.POSITIVE_INFINITY) && {
              notes: item.users.map(
                (user) =>
                  `${user.namespace}/${user.pod} ${user.interface} ${user.ips.join(',') || '-'}${user.ready === false ? ' (not ready)' : ''}`,
              ),
            }),
          })),
          width,
        }),
    });
    return undefined;
  });
};

/** Pods of any namespace may be on a network; who may not see them all gets those of the namespace, and is told. */
const podsAnywhere = async (session: Session): Promise<readonly ClusterPod[]> => {
  try {
    return await listPods(session, undefined);
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 403 || session.isAllNamespaces) throw error;
    session.terminal.note(
      `note: only interfaces of pods in ${session.namespace} are counted: other namespaces may not be read`,
    );
    return await listPods(session, session.namespace);
  }
};
