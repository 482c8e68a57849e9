// How a command becomes part of the program: its file adds it, and says what to do with a session.
import type { Command } from 'commander';
import type { ExitCode } from './cli-error.ts';
import type { Terminal } from './render/terminal.ts';
import type { Session } from './session.ts';
import type { UiAssets } from './ui/ui-server.ts';

export type Body = (session: Session, command: Command) => Promise<ExitCode | undefined>;

export interface CommandHost {
  readonly program: Command;
  /** Of this program. */
  readonly version: string;
  /** The page, where it was built. */
  readonly uiAssets: UiAssets | undefined;
  /** Makes the session from the flags of the command, runs the body, and keeps its exit code; `failure` is that of errors. */
  run(command: Command, body: Body, options?: { readonly failure?: ExitCode }): void;
  /** For commands that need no cluster. */
  runOffline(command: Command, body: (terminal: Terminal) => void): void;
}

export type AddCommand = (host: CommandHost) => void;
