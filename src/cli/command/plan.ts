// kubectl dnet plan: what the agent would do, before anybody does it. Exits as diff does: 0 nothing, 1 something would change.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { isJsonObject } from '../../model/json.ts';
import { findNetworkName } from '../../model/keys.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import { parseNetworkStatus } from '../../model/network-status.ts';
import { parseNetworks } from '../../model/parse-networks.ts';
import { UsageError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { type ClusterPod, getPod } from '../gather/cluster-pod.ts';
import { findNetworks } from '../gather/network-definitions.ts';
import { previewPlan, wouldChange } from '../logic/preview-plan.ts';
import { printAnswer } from '../render/answer.ts';
import { renderPlan } from '../render/plan-table.ts';

export const addPlan: AddCommand = ({ program, run }) => {
  const command = program
    .command('plan')
    .summary('what the agent would do with a pod')
    .description(
      'Shows what the agent would plug and unplug: now, or after an edit. Exits with 0 when nothing would change, 1 when something would, 3 when it failed.',
    )
    .argument('<POD>')
    .option(
      '-f, --filename <FILE>',
      'the edit: a networks annotation (either form) or a pod manifest; - reads standard input',
    );
  run(
    command,
    async (session) => {
      const [name = ''] = command.args;
      const { filename } = command.opts<{ filename?: string }>();
      const found = await getPod(session, session.namespace, name);
      const networksText = filename === undefined ? found.pod.networksText : readEdit(filename);
      const definitions = await findNetworks(session, namesIn(found, networksText));
      const preview = previewPlan({ pod: found.pod, networksText, definitions });
      printAnswer(session, {
        kind: 'NetworksPlan',
        content: { namespace: found.pod.namespace, pod: found.pod.name, wouldChange: wouldChange(preview), ...preview },
        table: (width) => renderPlan(preview, { width, style: session.terminal.style }),
      });
      return wouldChange(preview) ? 1 : 0;
    },
    { failure: 3 },
  );
};

const namesIn = ({ pod }: ClusterPod, text: string | undefined) => {
  const [desired, status] = [parseNetworks(text, pod.namespace), parseNetworkStatus(pod.statusText)];
  return [
    ...(desired.ok ? desired.selections.map(({ network }) => network) : []),
    ...(status.state === 'read' ? status.entries.flatMap((entry) => findNetworkName(entry.name) ?? []) : []),
  ];
};

/** Standard input is a file too: descriptor 0. */
const readEdit = (filename: string): string => {
  let text: string;
  try {
    text = readFileSync(filename === '-' ? 0 : filename, 'utf8');
  } catch (error) {
    throw new UsageError(
      `--filename ${filename} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return networksOfManifest(text) ?? text.trim();
};

/** The annotation of a pod manifest; undefined when the text is none, and so the annotation itself. */
const networksOfManifest = (text: string): string | undefined => {
  let manifest: unknown;
  try {
    manifest = load(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(manifest) || manifest['kind'] !== 'Pod') return undefined;
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  const networks = annotations[NETWORKS_ANNOTATION];
  return typeof networks === 'string' ? networks : '';
};
