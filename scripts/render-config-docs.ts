// docs/configuration.md, made from the table of settings: the one place that knows names, defaults and what is allowed.
import { agentFields } from '../src/config/agent-settings.ts';
import { controllerFields } from '../src/config/controller-settings.ts';
import { gateDescriptions } from '../src/config/feature-gates.ts';
import type { Fields } from '../src/config/field.ts';
import { envName, flagName } from '../src/config/load-settings.ts';

interface DocumentedRole {
  readonly name: string;
  readonly fields: Fields;
}

const renderConfigDocs = (
  roles: readonly DocumentedRole[],
  gates: Readonly<Record<string, string>>,
): string => `# Configuration

<!-- Made by scripts/generate-config-docs.ts from src/config/. Do not edit: run \`npm run generate\`. -->

Each setting can be given as a flag, as an environment variable, or by its name in a YAML or JSON file. Flags win over the
environment, the environment over the file, the file over defaults. The file is named by \`--config\` or
\`DYNAMIC_NETWORKS_CONFIG\`.

All values are checked at start, together. A wrong one ends the program with exit code 2 and a message that names the
setting, where its value came from, the value, and what is allowed. A name in the file that is no setting is an error too.
Settings are read once: a change needs a restart.

${roles.map(sectionOf).join('\n\n')}

## Feature gates of the controller

All are off unless \`featureGates\` turns them on.

${table([['gate', 'what it turns on'], ...Object.entries(gates).map(([name, text]) => [code(name), text])])}
`;

const sectionOf = ({ name, fields }: DocumentedRole): string => `## \`dynamic-networks ${name}\`

${table([['setting', 'default', 'allowed', 'what it is'], ...Object.entries(fields).map(rowOf)])}

${table([
  ['setting', 'flag', 'environment variable'],
  ...Object.keys(fields).map((field) => [field, flagName(field), envName(field)].map(code)),
])}`;

const rowOf = ([name, field]: [string, Fields[string]]): string[] => [
  code(name),
  defaultOf(field),
  field.allowed,
  field.description,
];

const defaultOf = ({ default: value }: Fields[string]): string => {
  if (value === undefined) return 'must be given';
  return value === '' ? 'none' : code(value);
};

const code = (text: string): string => `\`${text}\``;

/** Columns are padded, as the formatter of this repository wants them. */
const table = ([head = [], ...body]: readonly (readonly string[])[]): string => {
  const rows = [head, ...body].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [titles, ...rest] = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`);
  return [titles, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n');
};

export const configDocs = (): string =>
  renderConfigDocs(
    [
      { name: 'agent', fields: agentFields },
      { name: 'controller', fields: controllerFields },
    ],
    gateDescriptions,
  );
