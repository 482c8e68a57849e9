// kubectl dnet completion: scripts for shells.
import { UsageError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { completionScript, SHELLS } from '../render/completion-scripts.ts';

export const addCompletion: AddCommand = ({ program, runOffline }) => {
  const command = program
    .command('completion')
    .summary('completion script for bash, zsh, fish, or for kubectl itself')
    .description(
      'Prints a script that completes commands, flags and names of the cluster. Each says in its first lines where it belongs.',
    )
    .argument('<SHELL>', SHELLS.join(', '));
  runOffline(command, (terminal) => {
    const shell = SHELLS.find((name) => name === command.args[0]);
    if (shell === undefined) throw new UsageError(`"${command.args[0]}" must be one of ${SHELLS.join(', ')}`);
    terminal.print(completionScript(shell).trimEnd());
  });
};
