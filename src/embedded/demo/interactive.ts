// The prompt after the story: the same commands, typed by a person. With a piped input they are echoed, and the end of the
// input means `quit`.
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Ctrl-C: while a prompt is shown, readline gets it instead of the process. */
  readonly interrupt: (why: string) => void;
}

const HELP = `  kubectl dnet …               everything that it can do: kubectl dnet --help
  status, plug web blue, …     the same without "kubectl dnet"
  kubectl run POD --image=busybox
  kubectl annotate pod POD --overwrite k8s.v1.cni.cncf.io/networks='blue@net1, red'
  kubectl delete pod POD
  break multus | mend multus   its daemon goes away, and comes back
  kill agent                   SIGKILL; it is started again after a second, as a DaemonSet would
  help | quit`;

const RESTART_MS = 1000;
/** Words that are commands of kubectl dnet when a line begins with them. */
const SHORT = /^(status|plug|unplug|plan|wait|events|networks|claims|pools|devices|doctor|ui)\b/;

export class Interactive {
  readonly #stage: Stage;
  readonly #terminal: Terminal;
  #running: AbortController | undefined;

  constructor(stage: Stage, terminal: Terminal) {
    this.#stage = stage;
    this.#terminal = terminal;
  }

  async run(): Promise<void> {
    const { printer } = this.#stage;
    await this.#welcome();
    const isTyped = this.#terminal.input.isTTY === true && this.#terminal.output.isTTY === true;
    const prompt = `${printer.style.accent('$')} `;
    const reader = createInterface({
      input: this.#terminal.input,
      ...(isTyped && { output: this.#terminal.output }),
      terminal: isTyped,
      prompt,
    });
    // Ctrl-C ends the command that runs, and the demo when none does.
    reader.on('SIGINT', () => (this.#running ? this.#running.abort() : this.#terminal.interrupt('SIGINT')));
    if (isTyped) reader.prompt();
    for await (const line of reader) {
      if (!isTyped) printer.lines([`${prompt}${line}`]);
      if (/^\s*(quit|exit)\s*$/.test(line)) break;
      await this.#obey(line.trim());
      if (isTyped) reader.prompt();
    }
    reader.close();
  }

  async #welcome(): Promise<void> {
    const { printer, cluster } = this.#stage;
    printer.title('your turn', '"help" says what there is, "quit" ends');
    for (const name of ['web', 'db']) {
      printer.command(`kubectl run ${name} --image=busybox`);
      await this.#stage.carryOut(`kubectl run ${name} --image=busybox`);
    }
    printer.say(`The live page: ${await this.#stage.openPage()}`);
    printer.say(`For programs of your own: export KUBECONFIG=${cluster.kubeconfigPath}`);
  }

  async #obey(line: string): Promise<void> {
    const { printer, cluster } = this.#stage;
    this.#running = new AbortController();
    try {
      if (line === '') return;
      if (line === 'help') printer.lines([HELP]);
      else if (line === 'break multus') await cluster.multus.down();
      else if (line === 'mend multus') await cluster.multus.up();
      else if (line === 'kill agent') await this.#killAgent();
      else await this.#stage.carryOut(SHORT.test(line) ? `kubectl dnet ${line}` : line, this.#running.signal);
    } catch (error) {
      printer.bad(error instanceof Error ? error.message : String(error));
    } finally {
      this.#running = undefined;
    }
  }

  async #killAgent(): Promise<void> {
    await this.#stage.agent.kill();
    await sleep(RESTART_MS);
    const { pid } = await this.#stage.startAgent();
    this.#stage.printer.say(`The agent is back as process ${pid}.`);
  }
}
