// kubectl dnet plug: one interface more.

import { findNetworkName, networkName } from '../../model/keys.ts';
import { parseNetworkStatus } from '../../model/network-status.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { getPod } from '../gather/cluster-pod.ts';
import { editPodNetworks } from '../gather/edit-pod-networks.ts';
import { findNetworks } from '../gather/network-definitions.ts';
import { waitForPod } from '../gather/watch-pod.ts';
import { parseDuration } from '../logic/duration.ts';
import { plugInto } from '../logic/edit-networks.ts';
import { ownerNote } from '../logic/editable-pod.ts';
import { judge } from '../logic/wait-verdict.ts';
import type { Session } from '../session.ts';

interface PlugFlags {
  readonly interface?: string;
  readonly ip?: readonly string[];
  readonly mac?: string;
  readonly allowMissing?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
}

export const addPlug: AddCommand = ({ program, run }) => {
  const command = program
    .command('plug')
    .summary('plug a network into a running pod')
    .description('Adds one element to the networks annotation of a pod; the agent of its node plugs the interface.')
    .argument('<POD>')
    .argument('<NETWORK>', 'NetworkAttachmentDefinition: NAME, or NAMESPACE/NAME')
    .option('--interface <NAME>', 'name of the interface in the pod (default: the lowest free netN)')
    .option('--ip <ADDRESS>', 'address to ask the network for, with or without a prefix length; repeatable', collect)
    .option('--mac <ADDRESS>', 'hardware address to ask for')
    .option('--allow-missing', 'plug even if the network does not exist yet: it is attached when it is created')
    .option('--wait', 'wait until the interface is ready')
    .option('--timeout <DURATION>', 'how long --wait waits', '60s');
  run(command, async (session) => {
    const [name = '', network = ''] = command.args;
    const flags = command.opts<PlugFlags>();
    const timeoutMs = parseDuration(flags.timeout, '--timeout');
    await checkNetwork(session, network, flags.allowMissing === true);
    const ref = { namespace: session.namespace, name };
    const request = { network, interface: flags.interface, ips: flags.ip, mac: flags.mac };
    const edit = await editPodNetworks(session, name, (found) => plugInto(found.pod, request));
    const subject = `${edit.interface} on ${edit.network}`;
    const note = ownerNote(edit.object);
    if (note !== undefined) session.terminal.note(note);
    if (flags.wait !== true) {
      session.terminal.print(`pod/${name}: ${subject} requested`);
      return undefined;
    }
    await waitForPod(session, {
      ...ref,
      what: `${subject} is ready`,
      timeoutMs,
      judge: (pod) => judge(pod, 'ready', [edit.interface]),
    });
    const ready = (await getPod(session, ref.namespace, name)).pod;
    session.terminal.print(`pod/${name}: ${subject} plugged${addressesOf(ready.statusText, edit.interface)}`);
    return undefined;
  });
};

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  ...value.split(','),
];

const checkNetwork = async (session: Session, text: string, allowMissing: boolean): Promise<void> => {
  const network = text.includes('/') ? findNetworkName(text) : networkName(session.namespace, text);
  if (network === undefined) throw new UsageError(`"${text}" is not NAME or NAMESPACE/NAME of a network`);
  if (allowMissing || (await findNetworks(session, [network])).has(network)) return;
  throw new CliError(
    `NetworkAttachmentDefinition ${network} does not exist`,
    'kubectl dnet networks -A lists those that do; --allow-missing asks for it all the same',
  );
};

const addressesOf = (statusText: string | undefined, name: string): string => {
  const status = parseNetworkStatus(statusText);
  const entries = status.state === 'read' ? status.entries.filter((entry) => entry.interface === name) : [];
  const ips = entries.flatMap((entry) => entry.ips ?? []);
  return ips.length === 0 ? '' : ` with ${ips.join(', ')}`;
};
