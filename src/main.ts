// Picks a subcommand, reads its settings, runs it until a signal ends it.
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { agentFields } from './config/agent-settings.ts';
import type { Fields } from './config/field.ts';
import { ENV_PREFIX, envName, flagName, loadSettings, SettingsError } from './config/load-settings.ts';
import { type RunningAgent, startAgent } from './main-agent.ts';

const program = new Command('dynamic-networks')
  .description('Plugs and unplugs network interfaces of running Kubernetes pods by what their annotations ask for.')
  .version(packageJson.version)
  .showHelpAfterError('(--help lists every option)');

withFields(program.command('agent'), agentFields)
  .description('Serves the pods of one node: runs as a DaemonSet.')
  .action(async (flags: Record<string, string>) => {
    const { config: file = process.env[`${ENV_PREFIX}CONFIG`], ...given } = flags;
    const settings = await loadSettings(agentFields, { flags: given, env: process.env, file });
    runUntilSignal(await startAgent(settings));
  });

/** One option per setting: the settings' table is the only list of them. */
function withFields(command: Command, fields: Fields): Command {
  command.addOption(
    new Option('--config <PATH>', 'YAML or JSON file with settings by name').env(`${ENV_PREFIX}CONFIG`),
  );
  for (const [name, field] of Object.entries(fields)) {
    const fallback =
      field.default === undefined ? '; must be given' : field.default === '' ? '' : `; default ${field.default}`;
    command.addOption(
      new Option(
        `${flagName(name)} <${field.placeholder}>`,
        `${field.description}. Allowed: ${field.allowed} (env ${envName(name)}${fallback})`,
      ),
    );
  }
  command.addHelpText(
    'after',
    '\nFlags win over the environment, the environment over the file, the file over defaults.',
  );
  return command;
}

/** SIGTERM and SIGINT let work in flight finish; a second one does not wait. */
function runUntilSignal(running: RunningAgent): void {
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
