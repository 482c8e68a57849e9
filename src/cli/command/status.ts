// kubectl dnet status: what pods ask for, what they have, and why not.
import type { AddCommand } from '../command-host.ts';
import { getPod, listPods } from '../gather/cluster-pod.ts';
import { describePodNetworks, hasNetworks } from '../logic/pod-networks.ts';
import { printAnswer } from '../render/answer.ts';
import { renderStatus } from '../render/status-table.ts';
import { scopeOf } from '../session.ts';

export const addStatus: AddCommand = ({ program, run }) => {
  const command = program
    .command('status')
    .summary('secondary networks of pods: desired, reported, ready, why not')
    .description(
      'Shows each secondary interface of pods: whether it is desired and reported, whether it is ready and why not.',
    )
    .argument('[POD]', 'one pod; without it, all pods of the namespace that have secondary networks');
  run(command, async (session) => {
    const [name] = command.args;
    const found =
      name === undefined ? await listPods(session, scopeOf(session)) : [await getPod(session, session.namespace, name)];
    const described = found.map(describePodNetworks);
    const items = name === undefined ? described.filter(hasNetworks) : described;
    printAnswer(session, {
      kind: 'PodNetworksList',
      content: { items },
      table: (width) =>
        renderStatus(items, {
          width,
          style: session.terminal.style,
          now: session.now(),
          withNamespace: session.isAllNamespaces,
        }),
    });
    if (items.every((item) => !hasNetworks(item))) {
      const place = session.isAllNamespaces ? 'any namespace' : `namespace ${session.namespace}`;
      session.terminal.note(
        name === undefined ? `No pod in ${place} has secondary networks.` : `Pod ${name} has no secondary networks.`,
      );
    }
    return undefined;
  });
};
