// kubectl dnet unplug: one interface less.
import type { AddCommand } from '../command-host.ts';
import { editPodNetworks } from '../gather/edit-pod-networks.ts';
import { waitForPod } from '../gather/watch-pod.ts';
import { parseDuration } from '../logic/duration.ts';
import { unplugFrom } from '../logic/edit-networks.ts';
import { ownerNote } from '../logic/editable-pod.ts';
import { judge } from '../logic/wait-verdict.ts';

export const addUnplug: AddCommand = ({ program, run }) => {
  const command = program
    .command('unplug')
    .summary('unplug an interface from a running pod')
    .description(
      'Takes one element out of the networks annotation of a pod; the agent of its node unplugs the interface.',
    )
    .argument('<POD>')
    .argument('<INTERFACE>', 'name of the interface in the pod')
    .option('--wait', 'wait until the interface is gone')
    .option('--timeout <DURATION>', 'how long --wait waits', '60s');
  run(command, async (session) => {
    const [name = '', iface = ''] = command.args;
    const flags = command.opts<{ wait?: boolean; timeout: string }>();
    const timeoutMs = parseDuration(flags.timeout, '--timeout');
    const ref = { namespace: session.namespace, name };
    const edit = await editPodNetworks(session, name, (found) => unplugFrom(found.pod, iface));
    const subject = `${edit.interface} from ${edit.network}`;
    const note = ownerNote(edit.object);
    if (note !== undefined) session.terminal.note(note);
    if (flags.wait !== true) {
      session.terminal.print(`pod/${name}: removal of ${subject} requested`);
      return undefined;
    }
    await waitForPod(session, {
      ...ref,
      what: `${edit.interface} is gone`,
      timeoutMs,
      judge: (pod) => judge(pod, 'gone', [edit.interface]),
    });
    session.terminal.print(`pod/${name}: ${subject} unplugged`);
    return undefined;
  });
};
