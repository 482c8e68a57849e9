// Where everything is on the map: networks on the left, nodes on the right, and between them the pods, as long as they can be
// told apart; when there are too many, links go from network to node and their width says how many interfaces they stand for.
import type { TopologyPod } from '../topology.ts';
import { type Readiness, readinessOf } from './readiness.ts';

export interface MapBox {
  readonly key: string;
  readonly column: 'network' | 'pod' | 'node';
  readonly label: string;
  readonly detail: string;
  readonly x: number;
  readonly y: number;
  /** Undefined for a network that no interface is on. */
  readonly worst: Readiness | undefined;
}

export interface MapLink {
  readonly path: string;
  readonly width: number;
  readonly network: string | undefined;
  readonly worst: Readiness;
  readonly label: string;
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly MapBox[];
  readonly links: readonly MapLink[];
  readonly isAggregated: boolean;
}

export const BOX_WIDTH = 230;
export const BOX_HEIGHT = 40;
const GAP = 12;
const MARGIN = 8;
/** More than this many pods cannot be read as boxes. */
export const MAX_PODS = 60;

const SEVERITY: readonly Readiness[] = ['ready', 'removing', 'pending', 'notReady'];
const worse = (a: Readiness, b: Readiness): Readiness => (SEVERITY.indexOf(a) >= SEVERITY.indexOf(b) ? a : b);

interface Bundle {
  readonly from: string;
  readonly to: string;
  count: number;
  worst: Readiness;
}

/** `known`: networks that are shown although nobody may be on them. */
export const layOutMap = (pods: readonly TopologyPod[], width: number, known: readonly string[] = []): MapLayout => {
  const isAggregated = pods.length > MAX_PODS;
  const [networks, nodes] = [new Map<string, Bundle>(), new Map<string, Bundle>()];
  const links = new Map<string, Bundle>();
  const count = (map: Map<string, Bundle>, from: string, to: string, how: Readiness, by = 1): void => {
    const id = `${from}\n${to}`;
    const bundle = map.get(id) ?? { from, to, count: 0, worst: 'ready' };
    bundle.count += by;
    bundle.worst = worse(bundle.worst, how);
    map.set(id, bundle);
  };
  for (const pod of pods) {
    for (const item of pod.interfaces) {
      const how = readinessOf(item);
      count(networks, item.network, '', how);
      count(nodes, pod.node, '', how);
      if (isAggregated) count(links, `network ${item.network}`, `node ${pod.node}`, how);
      else {
        count(links, `network ${item.network}`, `pod ${pod.key}`, how);
        count(links, `pod ${pod.key}`, `node ${pod.node}`, 'ready'); // where it runs is not what is wrong
      }
    }
  }
  const xs = { network: MARGIN, pod: (width - BOX_WIDTH) / 2, node: width - BOX_WIDTH - MARGIN };
  const used = [...networks.values()];
  const unused = known.filter((name) => !used.some(({ from }) => from === name));
  const columns = [
    [
      ...used.map((each) => box('network', each.from, each.from, interfaces(each.count), each.worst)),
      ...unused.map((name) => box('network', name, name, 'nobody is on it', undefined)),
    ],
    isAggregated ? [] : pods.map(podBox),
    [...nodes.values()].map((each) =>
      box('node', each.from, each.from || '(no node)', interfaces(each.count), each.worst),
    ),
  ].map((column) => column.toSorted((a, b) => (a.label < b.label ? -1 : 1)));
  const tallest = Math.max(1, ...columns.map((column) => column.length));
  const height = tallest * (BOX_HEIGHT + GAP) - GAP + 2 * MARGIN;
  const boxes = columns.flatMap((column) => {
    const step = (height - 2 * MARGIN + GAP) / Math.max(1, column.length);
    return column.map((each, index) => ({
      ...each,
      x: xs[each.column],
      y: Math.round(MARGIN + index * step + (step - GAP - BOX_HEIGHT) / 2),
    }));
  });
  const places = new Map(boxes.map((each) => [`${each.column} ${each.key}`, each]));
  return {
    width,
    height,
    boxes,
    isAggregated,
    links: [...links.values()].flatMap((bundle) => linkOf(bundle, places.get(bundle.from), places.get(bundle.to))),
  };
};

const box = (column: MapBox['column'], key: string, label: string, detail: string, worst: MapBox['worst']): MapBox => ({
  key,
  column,
  label,
  detail,
  worst,
  x: 0,
  y: 0,
});

const podBox = (pod: TopologyPod): MapBox => {
  const worst = pod.interfaces.map(readinessOf).reduce(worse, pod.ready === false ? 'notReady' : 'ready');
  return pod.vm === undefined
    ? box('pod', pod.key, pod.name, pod.namespace, worst)
    : box('pod', pod.key, pod.vm, `${pod.namespace}, virtual machine`, worst);
};

const interfaces = (count: number): string => `${count} interface${count === 1 ? '' : 's'}`;

const linkOf = (bundle: Bundle, from: MapBox | undefined, to: MapBox | undefined): MapLink[] => {
  if (from === undefined || to === undefined) return [];
  const [x1, y1, x2, y2] = [from.x + BOX_WIDTH, from.y + BOX_HEIGHT / 2, to.x, to.y + BOX_HEIGHT / 2];
  const bend = (x2 - x1) / 2;
  return [
    {
      path: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
      width: Math.min(10, 1.5 + Math.log2(bundle.count)),
      network: from.column === 'network' ? from.key : undefined,
      worst: bundle.worst,
      label: `${from.label} to ${to.label}: ${interfaces(bundle.count)}`,
    },
  ];
};
