// kubectl dnet events: what the agents and the controller told of, oldest first.
import type { AddCommand } from '../command-host.ts';
import { byTime, isOurs, listEvents } from '../gather/events.ts';
import { age } from '../render/age.ts';
import { printAnswer } from '../render/answer.ts';
import { renderTable } from '../render/table.ts';
import { scopeOf } from '../session.ts';

export const addEvents: AddCommand = ({ program, run }) => {
  const command = program
    .command('events')
    .summary('what happened to networks of pods and VMs')
    .description(
      'Lists the events of dynamic-networks, oldest first; of one pod or VM, also those of other sources with --all-sources.',
    )
    .argument('[NAME]', 'of a pod, a VM or a node')
    .option('--all-sources', 'events of others as well');
  run(command, async (session) => {
    const [name] = command.args;
    const { allSources } = command.opts<{ allSources?: boolean }>();
    const query: Record<string, string> = name === undefined ? {} : { fieldSelector: `involvedObject.name=${name}` };
    const events = (await listEvents(session, scopeOf(session), query))
      .filter((event) => allSources === true || isOurs(event))
      .toSorted(byTime);
    printAnswer(session, {
      kind: 'NetworkEventList',
      content: { items: events.map(({ key: _key, resourceVersion: _version, ...event }) => event) },
      table: (width) =>
        renderTable({
          heads: [...(session.isAllNamespaces ? ['NAMESPACE'] : []), 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'COUNT'],
          rows: events.map(({ namespace, lastSeen, type, reason, kind, name: object, count, message }) => ({
            cells: [
              ...(session.isAllNamespaces ? [namespace] : []),
              age(lastSeen, session.now()),
              type === 'Warning' ? { text: type, look: session.terminal.style.notice } : type,
              reason,
              `${kind.toLowerCase()}/${object}`,
              String(count),
            ],
            notes: [message],
          })),
          width,
        }),
    });
    if (events.length === 0)
      session.terminal.note('No events. The API server forgets them after an hour, unless told otherwise.');
    return undefined;
  });
};
