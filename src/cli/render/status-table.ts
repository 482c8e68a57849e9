import type { InterfaceStatus, PodNetworks } from '../logic/pod-networks.ts';
import { age } from './age.ts';
import type { Style } from './style.ts';
import { type Cell, type Row, renderTable } from './table.ts';

export interface StatusTableOptions {
  readonly width: number;
  readonly style: Style;
  readonly now: number;
  readonly withNamespace: boolean;
}

export const renderStatus = (items: readonly PodNetworks[], options: StatusTableOptions): string => {
  const isWide = !Number.isFinite(options.width);
  const heads = ['POD', 'INTERFACE', 'NETWORK', 'DESIRED', 'REPORTED', 'READY', 'SINCE', 'NODE'];
  return renderTable({
    heads: [...(options.withNamespace ? ['NAMESPACE'] : []), ...heads, ...(isWide ? ['MAC'] : [])],
    rows: items.flatMap((item) => rowsOf(item, options, isWide)),
    width: options.width,
  });
};

const rowsOf = (item: PodNetworks, options: StatusTableOptions, isWide: boolean): Row[] => {
  const { style, now, withNamespace } = options;
  const lead = [...(withNamespace ? [item.namespace] : []), item.pod];
  const row = (cells: readonly Cell[], mac: string, why: string | undefined): Row => ({
    cells: [...lead, ...cells, item.node ?? '-', ...(isWide ? [mac] : [])],
    ...(why !== undefined && { notes: [why], noteLook: style.notice }),
  });
  const interfaces = item.interfaces.map((each) =>
    row(
      [
        each.interface || '-',
        each.network,
        yesNo(each.desired),
        each.reported ? each.ips.join(',') || 'yes' : 'no',
        readyCell(each.ready, style),
        age(each.since, now),
      ],
      each.mac ?? '-',
      whyOf(each, item),
    ),
  );
  if (item.reason === undefined && interfaces.length > 0) return interfaces;
  const whole = row(['-', '-', '-', '-', readyCell(item.ready, style), '-'], '-', problemOf(item));
  return [...interfaces, whole];
};

const yesNo = (value: boolean | undefined): string => (value === undefined ? '?' : value ? 'yes' : 'no');

const readyCell = (ready: boolean | undefined, style: Style): Cell => {
  if (ready === undefined) return { text: '-', look: style.dim };
  return ready ? { text: 'yes', look: style.good } : { text: 'no', look: style.bad };
};

const problemOf = ({ reason, message }: PodNetworks): string | undefined =>
  reason === undefined ? undefined : `${reason}: ${message ?? ''}`;

const whyOf = (each: InterfaceStatus, item: PodNetworks): string | undefined => {
  if (each.reason !== undefined) return `${each.reason}: ${each.message ?? ''}`;
  if (each.ready !== undefined) return undefined;
  if (item.phase !== 'Running') return `the pod is ${item.phase || 'not scheduled'}`;
  return each.desired === each.reported ? undefined : `the agent of node ${item.node ?? '?'} has not acted on it yet`;
};
