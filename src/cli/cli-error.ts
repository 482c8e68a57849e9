// What ends a command before its work is done. The message says what is wrong, `next` what to do about it.

/** 0: done. 1: failed. 2: the command was not called as it must be. `plan` adds its own; docs/cli.md has the table. */
export type ExitCode = 0 | 1 | 2 | 3;

export class CliError extends Error {
  readonly next: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, next?: string, options?: ErrorOptions & { readonly exitCode?: ExitCode }) {
    super(message, options);
    this.name = 'CliError';
    this.next = next;
    this.exitCode = options?.exitCode ?? 1;
  }
}

export class UsageError extends CliError {
  constructor(message: string, next?: string) {
    super(message, next, { exitCode: 2 });
    this.name = 'UsageError';
  }
}
