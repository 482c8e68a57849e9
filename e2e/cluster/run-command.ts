// Runs a program on this machine, never through a shell.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';

export type CommandResult = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export type CommandOptions = {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** A file that becomes its input, instead of a text. */
  readonly stdinFile?: string;
  readonly signal?: AbortSignal;
};

export class CommandError extends Error {
  readonly result: CommandResult;
  constructor(command: readonly string[], result: CommandResult) {
    const output = [result.stderr, result.stdout].map((text) => text.trim()).filter((text) => text !== '');
    super(`${command.join(' ')} ended with status ${result.exitCode}\n${output.join('\n').slice(-4000)}`);
    this.name = 'CommandError';
    this.result = result;
  }
}

export const tryCommand = (command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> => {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('command: expected at least a program name, got an empty list');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({
        exitCode: code ?? 255,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    );
    // A program that ends without reading its input breaks the pipe: its exit status tells more than that error.
    child.stdin.on('error', () => {});
    if (options.stdinFile === undefined) child.stdin.end(options.stdin ?? '');
    else createReadStream(options.stdinFile).on('error', reject).pipe(child.stdin);
  });
};

export const runCommand = async (command: readonly string[], options: CommandOptions = {}): Promise<string> => {
  const result = await tryCommand(command, options);
  if (result.exitCode !== 0) throw new CommandError(command, result);
  return result.stdout;
};
