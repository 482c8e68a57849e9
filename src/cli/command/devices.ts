// kubectl dnet devices: devices behind networks, and the map that a launcher pod has of them.
import type { AddCommand } from '../command-host.ts';
import { getPod, listPods } from '../gather/cluster-pod.ts';
import { deviceRows } from '../logic/device-rows.ts';
import { printAnswer } from '../render/answer.ts';
import { renderTable } from '../render/table.ts';
import { scopeOf } from '../session.ts';

export const addDevices: AddCommand = ({ program, run }) => {
  const command = program
    .command('devices')
    .summary('devices behind networks, as SR-IOV, and their maps')
    .description(
      'Lists the devices that network-status reports of pods, and what the map in a launcher pod calls them.',
    )
    .argument('[POD]');
  run(command, async (session) => {
    const [name] = command.args;
    const pods =
      name === undefined ? await listPods(session, scopeOf(session)) : [await getPod(session, session.namespace, name)];
    const items = pods.flatMap(deviceRows);
    const { style } = session.terminal;
    printAnswer(session, {
      kind: 'DeviceList',
      content: { items },
      table: (width) =>
        renderTable({
          heads: [
            ...(session.isAllNamespaces ? ['NAMESPACE'] : []),
            'POD',
            'INTERFACE',
            'NETWORK',
            'TYPE',
            'PCI ADDRESS',
            'MAPPED AS',
          ],
          rows: items.map((item) => ({
            cells: [
              ...(session.isAllNamespaces ? [item.namespace] : []),
              item.pod,
              item.interface || '-',
              item.network,
              item.type ?? '-',
              item.pciAddress ?? '-',
              item.mappedAs ?? '-',
            ],
            ...(item.problem !== undefined && { notes: [item.problem], noteLook: style.notice }),
          })),
          width,
        }),
    });
    if (items.length === 0) session.terminal.note('No pod reports a device.');
    return undefined;
  });
};
