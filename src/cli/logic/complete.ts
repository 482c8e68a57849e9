// What could come next on a command line. Pure: what only the cluster knows is named, not looked up.

export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  /** Kinds of its arguments, in order; the last one repeats. */
  readonly arguments: readonly ArgumentKind[];
  readonly options: readonly OptionShape[];
}

export interface OptionShape {
  /** Such as `-n` and `--namespace`. */
  readonly flags: readonly string[];
  readonly takesValue: boolean;
  readonly description: string;
}

export type ArgumentKind = 'pod' | 'interface' | 'network' | 'vm' | 'claim' | 'shell' | 'none';

export type Wanted =
  | { readonly from: 'here'; readonly values: readonly Candidate[] }
  | {
      readonly from: 'cluster';
      readonly kind: Exclude<ArgumentKind, 'shell' | 'none'> | 'namespace';
      readonly pod?: string;
    }
  | { readonly from: 'kubeconfig' }
  | { readonly from: 'files' };

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

const ARGUMENTS: Readonly<Record<string, readonly ArgumentKind[]>> = {
  status: ['pod', 'none'],
  plug: ['pod', 'network', 'none'],
  unplug: ['pod', 'interface', 'none'],
  plan: ['pod', 'none'],
  wait: ['pod', 'interface'],
  events: ['pod', 'none'],
  devices: ['pod', 'none'],
  networks: ['network', 'none'],
  claims: ['claim', 'none'],
  addinterface: ['vm', 'none'],
  removeinterface: ['vm', 'none'],
  completion: ['shell', 'none'],
};

export const argumentKinds = (command: string): readonly ArgumentKind[] => ARGUMENTS[command] ?? ['none'];

/** Values of flags that are known without asking anybody. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--output': ['table', 'wide', 'json', 'yaml'],
  '--for': ['ready', 'gone'],
  '--via': ['auto', 'template', 'request'],
};

/** `words` is everything after the program's name; the last one is what is being typed, perhaps nothing yet. */
export const complete = (
  words: readonly string[],
  commands: readonly CommandShape[],
  globals: readonly OptionShape[],
): Wanted => {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { positionals, pending } = readWords(before, commands, globals);
  const command = commands.find(({ name }) => name === positionals[0]);
  if (pending !== undefined) return flagValue(pending);
  if (typed.startsWith('-')) return here([...(command?.options ?? []), ...globals].flatMap(flagsOf));
  if (command === undefined) {
    return positionals.length > 0
      ? here([])
      : here(commands.map(({ name, summary }) => ({ value: name, description: summary })));
  }
  const given = positionals.slice(1);
  const kind = command.arguments[Math.min(given.length, command.arguments.length - 1)] ?? 'none';
  if (kind === 'shell') return here(['bash', 'zsh', 'fish', 'kubectl'].map((value) => ({ value })));
  if (kind === 'none') return here([]);
  return { from: 'cluster', kind, ...(given[0] !== undefined && { pod: given[0] }) };
};

const here = (values: readonly Candidate[]): Wanted => ({ from: 'here', values });

const flagsOf = ({ flags, description }: OptionShape): Candidate[] =>
  flags.filter((flag) => flag.startsWith('--')).map((value) => ({ value, description }));

const readWords = (
  words: readonly string[],
  commands: readonly CommandShape[],
  globals: readonly OptionShape[],
): { readonly positionals: readonly string[]; readonly pending: OptionShape | undefined } => {
  const positionals: string[] = [];
  let pending: OptionShape | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
      continue;
    }
    if (!word.startsWith('-')) {
      positionals.push(word);
      continue;
    }
    const own = commands.find(({ name }) => name === positionals[0])?.options ?? [];
    const option = [...own, ...globals].find(({ flags }) => flags.includes(word));
    if (option?.takesValue) pending = option;
  }
  return { positionals, pending };
};

const flagValue = ({ flags }: OptionShape): Wanted => {
  const has = (flag: string) => flags.includes(flag);
  if (has('--namespace')) return { from: 'cluster', kind: 'namespace' };
  if (has('--network-name')) return { from: 'cluster', kind: 'network' };
  if (has('--context')) return { from: 'kubeconfig' };
  if (has('--kubeconfig') || has('--filename')) return { from: 'files' };
  const known = flags.map((flag) => VALUES[flag]).find((values) => values !== undefined);
  return here((known ?? []).map((value) => ({ value })));
};
