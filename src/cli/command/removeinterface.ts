// kubectl dnet removeinterface: one interface less for a virtual machine.
import type { AddCommand } from '../command-host.ts';
import { applyMachineEdit } from '../gather/apply-machine-edit.ts';

export const addRemoveInterface: AddCommand = ({ program, run }) => {
  const command = program
    .command('removeinterface')
    .summary('unplug an interface from a virtual machine')
    .description('Takes an interface with a bridge binding away from a virtual machine, running or not.')
    .argument('<VM>')
    .requiredOption('--iface-name <NAME>', 'name of the interface in the machine')
    .option('--persist', 'also for the next start of the machine')
    .option('--via <WAY>', 'template, request, or auto: requests if our gate HotplugNICs is on', 'auto');
  run(command, async (session) => {
    const [vm = ''] = command.args;
    const {
      ifaceName: name,
      persist = false,
      via,
    } = command.opts<{ ifaceName: string; persist?: boolean; via: string }>();
    const way = await applyMachineEdit(session, vm, { verb: 'remove', name, isPersistent: persist }, via);
    const where = way === 'template' ? 'removed from the template' : 'asked to be removed';
    session.terminal.print(`virtualmachine/${vm}: ${name} ${where}`);
    return undefined;
  });
};
