// Commands in a node's container. Docker starts several programs for each, which is a tenth of a second of a processor, and tests look
// into nodes all the time. So root, on the machine where Docker is, enters the namespaces of the container's first process by itself.
import type { ContainerRuntimeClient } from 'testcontainers';
import { findProgram, isRoot } from './machine-check.ts';
import { type CommandResult, tryCommand } from './run-command.ts';

export type NodeCommand = (command: readonly string[]) => Promise<CommandResult>;

export const makeNodeCommand = (client: ContainerRuntimeClient, containerId: string): NodeCommand => {
  const container = client.container.getById(containerId);
  const nsenter = isRoot() ? findProgram('nsenter') : undefined;
  if (nsenter === undefined) {
    return async (command) => {
      const { exitCode, stdout, stderr } = await client.container.exec(container, [...command]);
      return { exitCode, stdout, stderr };
    };
  }
  return async (command) => {
    // Asked each time: a node that was rebooted has another first process.
    const { State, Config } = await container.inspect();
    if (State.Pid === 0) throw new Error(`container ${containerId} does not run`);
    const env = Object.fromEntries(Config.Env.map((one) => [one.split('=', 1)[0], one.slice(one.indexOf('=') + 1)]));
    return tryCommand([nsenter, `--target=${State.Pid}`, '--all', '--', ...command], { env });
  };
};
