// The demo's command line.
import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly isInteractive: boolean;
  readonly skipsStory: boolean;
  readonly isVerbose: boolean;
  /** Between the steps, for reading. */
  readonly pauseMs: number;
  /** The longest wait for anything that the story promises. */
  readonly timeoutMs: number;
  /** Settings of the agent that differ from the demo's own. */
  readonly agentSettings: Readonly<Record<string, string>>;
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: DemoOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export const usage = `npm run demo -- [OPTIONS]

Starts an embedded cluster and the real agent, and plays a story of plugging and unplugging
network interfaces of a running pod with the real kubectl dnet and its live page. No root, no
Docker, no kubectl; nothing is left behind.
Exit code: 0 if every step was really seen in the simulated kernel, the address store and on
the pod; 1 if not; 2 for a mistake on the command line; 130 after Ctrl-C.

  --interactive            a prompt after the story: type the same commands, break things
  --skip-story             with --interactive: the prompt at once
  --fast                   no pauses (there are none either when nobody watches: in a pipe)
  --verbose                the agent's log lines, too
  --timeout SECONDS        the longest wait for one thing to be seen (default 20)
  --agent-setting K=V      another setting for the agent, such as retryMax=5s; may be repeated
  --help                   this text

NO_COLOR=1 turns colours off.
`;

const PAUSE_MS = 1100;

export const parseOptions = (args: readonly string[], isWatched: boolean): ParsedOptions => {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        help: { type: 'boolean', short: 'h' },
        interactive: { type: 'boolean' },
        'skip-story': { type: 'boolean' },
        fast: { type: 'boolean' },
        verbose: { type: 'boolean' },
        timeout: { type: 'string', default: '20' },
        'agent-setting': { type: 'string', multiple: true, default: [] },
      },
    });
    if (values.help === true) return { kind: 'help' };
    const isInteractive = values.interactive === true;
    const skipsStory = values['skip-story'] === true;
    if (skipsStory && !isInteractive) throw new Error('--skip-story leaves nothing to do without --interactive');
    return {
      kind: 'run',
      options: {
        isInteractive,
        skipsStory,
        isVerbose: values.verbose === true,
        pauseMs: isWatched && values.fast !== true ? PAUSE_MS : 0,
        timeoutMs: readSeconds(values.timeout) * 1000,
        agentSettings: Object.fromEntries(values['agent-setting'].map(readSetting)),
      },
    };
  } catch (error) {
    return { kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
};

const readSeconds = (text: string): number => {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds >= 0.1 && seconds <= 600) return seconds;
  throw new Error(`--timeout must be a number of seconds from 0.1 to 600, got "${text}"`);
};

const readSetting = (text: string): [string, string] => {
  const [, name, value] = /^([a-z][A-Za-z]*)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new Error(`--agent-setting must look like retryMax=5s, got "${text}"`);
};
