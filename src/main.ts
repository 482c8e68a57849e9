// Picks a subcommand, reads its settings, runs it until a signal ends it.
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { agentFields } from './config/agent-settings.ts';
import { checkControllerSettings, controllerFields } from './config/controller-settings.ts';
import type { Fields, Settings } from './config/field.ts';
import { ENV_PREFIX, envName, flagName, loadSettings, SettingsError } from './config/load-settings.ts';
import { startAgent } from './main-agent.ts';

const program = new Command('dynamic-networks')
  .description('Plugs and unplugs network interfaces of running Kubernetes pods by what their annotations ask for.')
  .version(packageJson.version)
  .showHelpAfterError('(--help lists every option)');

withFields(program.command('agent'), agentFields)
  .description('Serves the pods of one node: runs as a DaemonSet.')
  .action(async (flags: Record<string, string>) => {
    const settings = await settingsOf(agentFields, flags);
    runUntilSignal(await startAgent(settings));
  });

withFields(program.command('controller'), controllerFields)
  .description('Serves the whole cluster: virtual machines, persistent addresses, admission. Runs as a Deployment.')
  .action(async (flags: Record<string, string>) => {
    const settings = await settingsOf(controllerFields, flags);
    checkControllerSettings(settings);
    // A file of its own in the bundle: an agent's memory counts on every node. The agent is not loaded so, because what is
    // imported on demand is not freed of its unused parts.
    const { startController } = await import('./main-controller.ts');
    runUntilSignal(await startController(settings));
  });

async function settingsOf<F extends Fields>(fields: F, flags: Record<string, string>): Promise<Settings<F>> {
  const { config: file = process.env[`${ENV_PREFIX}CONFIG`], ...given } = flags;
  return await loadSettings(fields, { flags: given, env: process.env, file });
}

/** One option per setting: the settings' table is the only list of them. */
function withFields(command: Command, fields: Fields): Command {
  command.addOption(
    new Option('--config <PATH>', 'YAML or JSON file with settings by name').env(`${ENV_PREFIX}CONFIG`),
  );
  for (const [name, field] of Object.entries(fields)) {
    const fallback =
      field.default === undefined ? '; must be given' : field.default === '' ? '' : `; default ${field.default}`;
    const option = new Option(
      `${flagName(name)} <${field.placeholder}>`,
      `${field.description}. Allowed: ${field.allowed} (env ${envName(name)}${fallback})`,
    );
    if (field.isAdditive)
      option.argParser((value: string, given: string | undefined) => (given ? `${given},${value}` : value));
    command.addOption(option);
  }
  command.addHelpText(
    'after',
    '\nFlags win over the environment, the environment over the file, the file over defaults.',
  );
  return command;
}

/** SIGTERM and SIGINT let work in flight finish; a second one does not wait. */
function runUntilSignal(running: { stop(): Promise<void> }): void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    running.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

try {
  await program.parseAsync();
} catch (error) {
  const isExpected = error instanceof SettingsError;
  process.stderr.write(
    `dynamic-networks: ${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(isExpected ? 2 : 1);
}
