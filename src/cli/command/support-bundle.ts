// kubectl dnet support-bundle: everything that somebody who helps wants to see, and no secrets.
import { writeFileSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { gatherSupportFiles } from '../gather/support-files.ts';
import { makeArchive } from '../render/tar.ts';

export const addSupportBundle: AddCommand = ({ program, run, version }) => {
  const command = program
    .command('support-bundle')
    .summary('an archive for somebody who helps: objects, events, logs, metrics, no secrets')
    .description(
      'Writes a tar.gz with what is about networks. Secrets are never read; look through it before you send it.',
    )
    .option('-f, --filename <FILE>', 'where to; default is dynamic-networks-TIME.tar.gz here');
  run(command, async (session) => {
    const { filename } = command.opts<{ filename?: string }>();
    const now = new Date(session.now());
    const stamp = now.toISOString().replace(/[:T]/g, '-').slice(0, 19);
    const file = filename ?? `dynamic-networks-${stamp}.tar.gz`;
    const folder = `dynamic-networks-${stamp}`;
    const files = await gatherSupportFiles(session, version);
    try {
      writeFileSync(
        file,
        makeArchive(
          files.map((each) => ({ ...each, path: `${folder}/${each.path}` })),
          now,
        ),
        { mode: 0o600 },
      );
    } catch (error) {
      throw new CliError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
    session.terminal.print(file);
    session.terminal.note(
      `${files.length} files. It names pods, networks and addresses: look through it before you send it.`,
    );
    return undefined;
  });
};
