// Draws: the table of a pod's interfaces, addresses in use, events, live changes, kubectl commands, titles. Pure: from data
// to lines, none longer than the page.
import type { Change } from './changes.ts';
import type { Difference } from './judge.ts';
import type { Settlement } from './settled.ts';
import type { InterfaceRow, Lease, SeenEvent, Snapshot } from './snapshot.ts';
import { chunks, formatMs, hanging, PAGE_WIDTH, type Style, shorten, wrap } from './style.ts';

const INDENT = '    ';

export const renderTitle = (position: string, title: string, style: Style): string[] => {
  const head = `── ${position} ── ${title} `;
  return ['', style.accent(`${head}${'─'.repeat(Math.max(2, PAGE_WIDTH - head.length))}`)];
};

export const renderNarration = (text: string, style: Style): string[] =>
  wrap(text, PAGE_WIDTH - 2).map((line) => `  ${style.dim(line)}`);

/** Long arguments go to lines of their own, as a person would type them. */
export const renderCommand = (command: string, style: Style): string[] => {
  const [head = '', ...rest] = command.split('\n');
  const lines = [
    ...chunks(head, PAGE_WIDTH - 4),
    ...rest.flatMap((line) => chunks(line, PAGE_WIDTH - 8)).map((line) => `    ${line}`),
  ];
  return lines.map((line, index) => `  ${style.notice(index === 0 ? '$' : ' ')} ${style.bold(line)}`);
};

export const annotateCommand = (pod: string, annotation: string, text: string | undefined): string => {
  if (text === undefined) return `kubectl annotate pod ${pod} ${annotation}-`;
  const value = text.includes("'") ? JSON.stringify(text) : `'${text}'`;
  const [before, argument] = [`kubectl annotate pod ${pod} --overwrite`, `${annotation}=${value}`];
  const isShort = before.length + argument.length + 1 <= PAGE_WIDTH - 4;
  return isShort ? `${before} ${argument}` : `${before} \\\n${argument}`;
};

export const renderLogLine = (text: string, style: Style): string[] => hanging('    agent | ', text, style.dim);

const WITNESS_WIDTH = 'network-status'.length;

export const renderChange = ({ witness, tone, text }: Change, elapsedMs: number, style: Style): string => {
  const when = `+${formatMs(elapsedMs)}`.padStart(9);
  const room = PAGE_WIDTH - INDENT.length - 9 - WITNESS_WIDTH - 4;
  const look = { good: style.good, bad: style.bad, neutral: (plain: string) => plain }[tone];
  return `${INDENT}${style.dim(`${when}  ${witness.padEnd(WITNESS_WIDTH)}`)}  ${look(shorten(text, room))}`;
};

interface Cell {
  readonly text: string;
  readonly look?: (text: string) => string;
}

const HEADER = ['INTERFACE', 'NETWORK', 'ADDRESS', 'IN KERNEL', 'IN IPAM', 'IN NETWORK-STATUS', 'READY'];
/** Together with the gaps just the page. Interface names and IPv4 addresses always fit; what does not is cut. */
const MAX_WIDTHS = [15, 18, 15, 9, 7, 17, 5];

export const renderTable = ({ rows }: Snapshot, style: Style): string[] => {
  const cells = rows.map((row) => cellsOf(row, style));
  const widths = HEADER.map((title, column) => {
    const widest = Math.max(title.length, ...cells.map((row) => row[column]?.text.length ?? 0));
    return Math.min(widest, Math.max(MAX_WIDTHS[column] ?? 0, title.length));
  });
  const line = (row: readonly Cell[]): string => {
    const drawn = row.map(({ text, look }, column) => {
      const fitted = shorten(text, widths[column] ?? 0);
      const padding = column === row.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - fitted.length);
      return `${look?.(fitted) ?? fitted}${padding}`;
    });
    return `  ${drawn.join('  ')}`;
  };
  return [line(HEADER.map((text) => ({ text, look: style.dim }))), ...cells.map(line)];
};

const cellsOf = (row: InterfaceRow, style: Style): Cell[] => {
  const { name, kernel, status, report, leased } = row;
  const answer = (isYes: boolean): Cell => ({ text: isYes ? 'yes' : 'no', look: isYes ? style.good : style.bad });
  const isDefault = status?.isDefault === true;
  const network = status?.network ?? report?.network ?? kernel?.network ?? '';
  const addresses = [kernel?.addresses, status?.addresses, leased].find(
    (each) => each !== undefined && each.length > 0,
  );
  return [
    { text: name === '' ? '-' : name },
    { text: isDefault ? `${network} (default)` : network },
    { text: addresses?.join(' ') ?? '-' },
    answer(kernel !== undefined),
    answer(leased.length > 0),
    answer(status !== undefined),
    isDefault ? { text: '-' } : answer(report?.ready === true),
  ];
};

export const renderAddresses = (leases: readonly Lease[], style: Style): string[] => {
  const held = leases.map(({ network, address }) => `${address} (${network})`).join(', ');
  return hanging(`  addresses in use: ${leases.length}${held === '' ? '' : '  '}`, held, style.dim);
};

export const renderEvents = (events: readonly SeenEvent[], style: Style): string[] =>
  events.flatMap(({ type, reason, message }) => {
    const look = type === 'Warning' ? style.notice : style.good;
    const lead = `  event ${type.padEnd('Warning'.length)} `;
    return hanging(lead, `${reason}: ${message}`, look);
  });

export const renderSnapshot = (snapshot: Snapshot, events: readonly SeenEvent[], style: Style): string[] => [
  ...(snapshot.rows.length > 0 ? renderTable(snapshot, style) : ['  no interfaces: there is no pod']),
  ...renderAddresses(snapshot.leases, style),
  ...renderEvents(events, style),
];

export const renderDifferences = (differences: readonly Difference[], style: Style): string[] =>
  differences.flatMap(({ expected, seen }) => [
    ...hanging('  expected  ', expected, style.good),
    ...hanging('  seen      ', seen, style.bad),
  ]);

export const renderSettlement = (settlement: Settlement, afterMs: number, style: Style): string[] => {
  const after = formatMs(afterMs);
  switch (settlement.kind) {
    case 'done':
      return [`  ${style.good(`✓ settled after ${after}`)}`];
    case 'complaint':
      return hanging('  ', `! not Ready after ${after}: ${settlement.message}`, style.notice);
    case 'open':
      return [
        `  ${style.notice(`! not settled after ${after}; the agent keeps trying`)}`,
        ...renderDifferences(settlement.differences, style),
      ];
  }
};

/** A CNI config in a few words: what makes the link, and where its addresses come from. */
export const describeConfig = (config: string): string => {
  const subnets = config.match(/"(?:subnet|range)":"[^"]+"/g)?.map((each) => each.split('"')[3]) ?? [];
  const type = /"type":"([^"]+)"/.exec(config)?.[1] ?? 'config elsewhere';
  return [type, ...subnets].join(', ');
};
