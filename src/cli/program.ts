// The program: its commands, the flags that all of them take, and what becomes of errors. Nothing here touches the process, so
// that tests run it as it is.
import { Command, CommanderError } from 'commander';
import type { ExitCode } from './cli-error.ts';
import { addAddInterface } from './command/addinterface.ts';
import { addClaims } from './command/claims.ts';
import { addCompletion } from './command/completion.ts';
import { addDevices } from './command/devices.ts';
import { addDoctor } from './command/doctor.ts';
import { addEvents } from './command/events.ts';
import { addNetworks } from './command/networks.ts';
import { addPlan } from './command/plan.ts';
import { addPlug } from './command/plug.ts';
import { addPools } from './command/pools.ts';
import { addRemoveInterface } from './command/removeinterface.ts';
import { addStatus } from './command/status.ts';
import { addSupportBundle } from './command/support-bundle.ts';
import { addUi } from './command/ui.ts';
import { addUninstall } from './command/uninstall.ts';
import { addUnplug } from './command/unplug.ts';
import { addWait } from './command/wait.ts';
import type { AddCommand, Body, CommandHost } from './command-host.ts';
import { explainError } from './explain-error.ts';
import { type GlobalFlags, makeSession, type Run } from './make-session.ts';
import { printCompletions } from './print-completions.ts';
import { makeTerminal, type Terminal } from './render/terminal.ts';

const COMMANDS: readonly AddCommand[] = [
  addStatus,
  addPlug,
  addUnplug,
  addPlan,
  addWait,
  addEvents,
  addNetworks,
  addClaims,
  addPools,
  addDevices,
  addAddInterface,
  addRemoveInterface,
  addDoctor,
  addUninstall,
  addSupportBundle,
  addUi,
  addCompletion,
];

export const runCli = async (run: Run): Promise<ExitCode> => {
  const terminal = makeTerminal(run.stdout, run.stderr, run.env);
  let exitCode: ExitCode = 0;
  let failure: ExitCode = 1;
  const program = makeProgram(run);
  const host: CommandHost = {
    program,
    version: run.version,
    uiAssets: run.uiAssets,
    run: (command, body, options = {}) => {
      command.action(async () => {
        failure = options.failure ?? 1;
        exitCode = await runBody(run, terminal, command, body);
      });
    },
    runOffline: (command, body) => {
      command.action(() => body(terminal));
    },
  };
  for (const add of COMMANDS) add(host);
  if (run.args[0] === COMPLETE) {
    await printCompletions(run, terminal, program, run.args.slice(1));
    return 0;
  }
  try {
    await program.parseAsync(run.args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // it has said why already
    if (run.signal.aborted) return failure;
    const code = complain(terminal, error);
    return code === 1 ? failure : code;
  }
};

/** What shells call: docs/cli.md, "Completion". */
const COMPLETE = '__complete';

const makeProgram = ({ stdout, stderr, version }: Run): Command =>
  new Command('kubectl dnet')
    .description('Networks of running pods and virtual machines: see, plug, unplug, diagnose.')
    .version(version)
    .option('-n, --namespace <NAMESPACE>', 'namespace; default is that of the context')
    .option('-A, --all-namespaces', 'all namespaces')
    .option('--context <NAME>', 'context of the kubeconfig')
    .option('--kubeconfig <FILE>', 'kubeconfig; default is $KUBECONFIG, then ~/.kube/config')
    .option('-o, --output <FORMAT>', 'table, wide, json or yaml', 'table')
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('(--help says more)')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage; plan: 0 no change, 1 changes, 2 wrong usage, 3 failed.',
    )
    .exitOverride();

const runBody = async (run: Run, terminal: Terminal, command: Command, body: Body): Promise<ExitCode> => {
  const session = makeSession(run, terminal, command.optsWithGlobals<GlobalFlags>());
  try {
    return (await body(session, command)) ?? 0;
  } finally {
    terminal.progress('');
    session.client.close();
  }
};

const complain = (terminal: Terminal, error: unknown): ExitCode => {
  const { message, next, exitCode } = explainError(error);
  terminal.note(`${terminal.noteStyle.bad('error:')} ${message}`);
  if (next !== undefined) terminal.note(terminal.noteStyle.dim(`  ${next}`));
  return exitCode;
};
