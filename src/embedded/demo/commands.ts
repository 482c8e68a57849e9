// What a person can type in the interactive mode.

export type Command =
  | {
      readonly kind: 'plug';
      readonly network: string;
      readonly interface?: string;
      readonly ip?: string;
      readonly mac?: string;
    }
  | { readonly kind: 'unplug'; readonly interface: string }
  /** undefined: without the annotation. */
  | { readonly kind: 'edit'; readonly text: string | undefined }
  | { readonly kind: 'newPod'; readonly networks: string | undefined }
  | { readonly kind: 'multusDown' }
  | { readonly kind: 'multusUp' }
  | { readonly kind: 'multusSlow'; readonly ms: number }
  | { readonly kind: 'show' | 'networks' | 'events' | 'killAgent' | 'deletePod' | 'help' | 'quit' | 'nothing' }
  | { readonly kind: 'mistake'; readonly message: string };

export const helpText = `  plug NETWORK[@IFACE] [ip=ADDRESS/PREFIX] [mac=MAC]   add an element to the annotation
  unplug IFACE                 take its element out of the annotation
  edit TEXT                    write the annotation as typed, right or wrong; no TEXT removes it
  show                         interfaces, addresses in use, new events
  networks                     the networks that there are
  events                       all events of the pod, also those of Multus
  faults multus down|up        stop the Multus daemon; bring it back, in good health
  faults multus slow MS        let it take that long for everything (the agent waits 2 s)
  kill agent                   SIGKILL; it is started again after a second, as a DaemonSet would
  delete pod | new pod [TEXT]  TEXT: its networks from the start
  help | quit`;

const mistake = (message: string): Command => ({ kind: 'mistake', message });

export const parseCommand = (line: string): Command => {
  const text = line.trim();
  const [verb = '', ...words] = text.split(/\s+/);
  const rest = text.slice(verb.length).trim();
  switch (verb) {
    case '':
      return { kind: 'nothing' };
    case 'plug':
      return parsePlug(words);
    case 'unplug':
      return words.length === 1 ? { kind: 'unplug', interface: rest } : mistake('usage: unplug IFACE');
    case 'edit':
      return { kind: 'edit', text: rest === '' ? undefined : unquoted(rest) };
    case 'faults':
      return parseFault(words);
    case 'new': {
      const networks = rest.replace(/^pod\s*/, '');
      return words[0] === 'pod'
        ? { kind: 'newPod', networks: networks === '' ? undefined : unquoted(networks) }
        : mistake('usage: new pod [TEXT]');
    }
    case 'kill':
      return rest === 'agent' ? { kind: 'killAgent' } : mistake('usage: kill agent');
    case 'delete':
      return rest === 'pod' ? { kind: 'deletePod' } : mistake('usage: delete pod');
    case 'show':
    case 'networks':
    case 'events':
    case 'help':
    case 'quit':
      return rest === '' ? { kind: verb } : mistake(`${verb} takes no argument, got "${rest}"`);
    case 'exit':
      return { kind: 'quit' };
    default:
      return mistake(
        `there is no command "${verb}"; known: plug, unplug, edit, show, networks, events, faults, kill, delete, new, help, quit`,
      );
  }
};

/** Quotes around the whole text are the shell's habit, not a part of it. */
const unquoted = (text: string): string => /^'(.*)'$/s.exec(text)?.[1] ?? text;

const parsePlug = ([target, ...attributes]: readonly string[]): Command => {
  const [, network, iface] = /^([^@\s]+)(?:@([^@\s]+))?$/.exec(target ?? '') ?? [];
  if (network === undefined) return mistake('usage: plug NETWORK[@IFACE] [ip=10.10.1.50/24] [mac=02:00:00:00:00:01]');
  const given = new Map<string, string>();
  for (const attribute of attributes) {
    const [, key, value] = /^(ip|mac)=(\S+)$/.exec(attribute) ?? [];
    if (key === undefined || value === undefined) return mistake(`"${attribute}" is neither ip=ADDRESS nor mac=MAC`);
    if (given.has(key)) return mistake(`${key} is given twice`);
    given.set(key, value);
  }
  const [ip, mac] = [given.get('ip'), given.get('mac')];
  return {
    kind: 'plug',
    network,
    ...(iface !== undefined && { interface: iface }),
    ...(ip !== undefined && { ip }),
    ...(mac !== undefined && { mac }),
  };
};

const MAX_SLOW_MS = 60_000;

const parseFault = (words: readonly string[]): Command => {
  const [part, fault, amount, ...more] = words;
  const usage = mistake('usage: faults multus down | faults multus up | faults multus slow MILLISECONDS');
  if (part !== 'multus' || more.length > 0) return usage;
  if (fault === 'down' && amount === undefined) return { kind: 'multusDown' };
  if (fault === 'up' && amount === undefined) return { kind: 'multusUp' };
  if (fault !== 'slow' || amount === undefined) return usage;
  const ms = Number(amount);
  if (/^\d+$/.test(amount) && ms <= MAX_SLOW_MS) return { kind: 'multusSlow', ms };
  return mistake(`slow takes milliseconds from 0 to ${MAX_SLOW_MS}, got "${amount}"`);
};
