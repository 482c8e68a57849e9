// kubectl dnet addinterface: one interface more for a virtual machine.
import { findNetworkName, networkName } from '../../model/keys.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { applyMachineEdit } from '../gather/apply-machine-edit.ts';
import { getVm } from '../gather/machines.ts';
import { findNetworks } from '../gather/network-definitions.ts';

interface AddFlags {
  readonly networkName: string;
  readonly ifaceName: string;
  readonly mac?: string;
  readonly persist?: boolean;
  readonly via: string;
}

export const addAddInterface: AddCommand = ({ program, run }) => {
  const command = program
    .command('addinterface')
    .summary('plug an interface into a virtual machine')
    .description('Adds an interface with a bridge binding to a virtual machine, running or not.')
    .argument('<VM>')
    .requiredOption('--network-name <NETWORK>', 'NetworkAttachmentDefinition: NAME, or NAMESPACE/NAME')
    .requiredOption('--iface-name <NAME>', 'name of the interface and of its network in the machine')
    .option('--mac <ADDRESS>', 'hardware address that the guest sees')
    .option('--persist', 'also for the next start of the machine')
    .option('--via <WAY>', 'template, request, or auto: requests if our gate HotplugNICs is on', 'auto');
  run(command, async (session) => {
    const [vm = ''] = command.args;
    const { networkName: definition, ifaceName: name, mac, persist = false, via } = command.opts<AddFlags>();
    const network = definition.includes('/') ? findNetworkName(definition) : networkName(session.namespace, definition);
    if (network === undefined) throw new UsageError(`"${definition}" is not NAME or NAMESPACE/NAME of a network`);
    await getVm(session, { namespace: session.namespace, name: vm });
    if (!(await findNetworks(session, [network])).has(network)) {
      throw new CliError(
        `NetworkAttachmentDefinition ${network} does not exist`,
        'create it first: a machine that names a missing network does not start; kubectl dnet networks -A lists what there is',
      );
    }
    const request = { verb: 'add', name, definition, mac, isPersistent: persist } as const;
    const way = await applyMachineEdit(session, vm, request, via);
    const where = way === 'template' ? 'added to the template' : 'requested';
    session.terminal.print(`virtualmachine/${vm}: ${name} on ${network} ${where}`);
    return undefined;
  });
};
