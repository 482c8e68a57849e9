// The interactive mode: a prompt, and the live view above it. Commands run one after the other; with a piped input they are
// echoed, each waits until the agent has dealt with it, and the end of the input means `quit`.
import { createInterface, type Interface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { parseCommand } from './commands.ts';
import { Director } from './director.ts';
import type { Prompt } from './printer.ts';
import { demoPod, type Stage } from './stage.ts';
import { hanging } from './style.ts';

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Ctrl-C: while a prompt is shown, readline gets it instead of the process. */
  readonly interrupt: (why: string) => void;
}

/** After changes that no command asked for, the table comes when nothing moves any more. */
const QUIET_MS = 300;
const CLEAR_LINE = '\r\u001b[K';

export class Interactive {
  readonly #stage: Stage;
  readonly #terminal: Terminal;
  readonly #director: Director;
  #isBusy = false;
  #quiet: NodeJS.Timeout | undefined;

  constructor(stage: Stage, terminal: Terminal) {
    this.#stage = stage;
    this.#terminal = terminal;
    this.#director = new Director(stage);
  }

  async run(): Promise<void> {
    const { printer } = this.#stage;
    await this.#director.welcome();
    this.#watchUnasked();
    const isTyped = this.#terminal.input.isTTY === true && this.#terminal.output.isTTY === true;
    const reader = createInterface({
      input: this.#terminal.input,
      ...(isTyped && { output: this.#terminal.output }),
      terminal: isTyped,
      prompt: printer.style.accent(`${demoPod.name}> `),
    });
    reader.on('SIGINT', () => this.#terminal.interrupt('SIGINT'));
    const ask = (): void => {
      printer.prompt = isTyped ? this.#promptOf(reader) : undefined;
      if (isTyped) reader.prompt();
    };
    ask();
    for await (const line of reader) {
      printer.prompt = undefined;
      if (!isTyped) printer.lines(['', `${printer.style.accent(`${demoPod.name}> `)}${line}`]);
      if (!(await this.#obey(line))) break;
      ask();
    }
    this.#endQuiet();
    printer.prompt = undefined;
    reader.close();
    printer.lines([printer.style.dim('bye')]);
  }

  /** False when the person wants to leave. */
  async #obey(line: string): Promise<boolean> {
    const { printer } = this.#stage;
    const command = parseCommand(line);
    if (command.kind === 'quit') return false;
    this.#isBusy = true;
    this.#endQuiet();
    try {
      await this.#director.perform(command);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      printer.lines(hanging('  ', message.split('\n')[0] ?? '', printer.style.bad));
    } finally {
      this.#isBusy = false;
    }
    return true;
  }

  /** Somebody else may edit, a fault may heal, a retry may succeed: all of it is shown. */
  #watchUnasked(): void {
    const { follower } = this.#stage;
    const tell = follower.onChanges;
    let since = 0;
    follower.onChanges = (changes, elapsedMs) => {
      if (this.#isBusy) return tell(changes, elapsedMs);
      // Nobody knows when it began: time is counted from the first thing seen.
      if (this.#quiet === undefined) since = performance.now();
      tell(changes, performance.now() - since);
      this.#endQuiet();
      this.#quiet = setTimeout(() => {
        this.#endQuiet();
        this.#stage.show();
      }, QUIET_MS);
    };
  }

  #endQuiet(): void {
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
  }

  #promptOf(reader: Interface): Prompt {
    return {
      lift: () => {
        this.#terminal.output.write(CLEAR_LINE);
        return () => reader.prompt(true);
      },
    };
  }
}
