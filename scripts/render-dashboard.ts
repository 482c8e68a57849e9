// deploy/monitoring/dashboard.json, the Grafana dashboard, from a short list of what each panel shows.

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly queries: Readonly<Record<string, string>>;
  readonly unit?: 's' | 'short' | 'bytes' | 'ops' | 'percentunit';
  readonly kind?: 'timeseries' | 'stat';
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const agents = 'node=~"$node"';

const rows: readonly Row[] = [
  {
    title: 'Is everything all right?',
    panels: [
      {
        title: 'Agents that answer',
        description: 'One per node. Fewer than nodes: docs/runbooks/DynamicNetworksAgentDown.md',
        queries: { up: 'sum(up{namespace="dynamic-networks", container="agent"})' },
        kind: 'stat',
      },
      {
        title: 'Interfaces that fail',
        description: 'Tried again for ever; events on the pods say why. Should be 0.',
        queries: { failing: `sum(dynamic_networks_waiting_for_retry{${agents}})` },
        kind: 'stat',
      },
      {
        title: 'Addresses not returned',
        description: 'Interfaces of pods that are gone and that cannot be released. Should be 0.',
        queries: { orphans: `sum(dynamic_networks_orphans{${agents}})` },
        kind: 'stat',
      },
      {
        title: 'Leader of the controller',
        description: 'Exactly 1, unless the controller is not installed.',
        queries: { leaders: 'sum(dynamic_networks_controller_leader)' },
        kind: 'stat',
      },
    ],
  },
  {
    title: 'Plugging',
    panels: [
      {
        title: 'Hot-plugged interfaces by network',
        description: 'What the ledgers of all agents hold.',
        queries: { '{{network}} {{state}}': `sum by (network, state) (dynamic_networks_attachments{${agents}})` },
      },
      {
        title: 'CNI commands per second',
        description: 'By command and outcome; unreachable means that Multus gave no answer.',
        queries: {
          '{{command}} {{outcome}}': `sum by (command, outcome) (rate(dynamic_networks_operation_duration_seconds_count{${agents}}[$__rate_interval]))`,
        },
        unit: 'ops',
      },
      {
        title: 'Time of an ADD',
        description: 'What the CNI plugins take, as Multus answers.',
        queries: Object.fromEntries(
          [0.5, 0.9, 0.99].map((quantile) => [
            `p${quantile * 100}`,
            `histogram_quantile(${quantile}, sum by (le) (rate(dynamic_networks_operation_duration_seconds_bucket{command="ADD", outcome="ok", ${agents}}[$__rate_interval])))`,
          ]),
        ),
        unit: 's',
      },
      {
        title: 'Reconciles per second',
        description: 'done: the pod is as desired; retry: something failed.',
        queries: {
          '{{outcome}}': `sum by (outcome) (rate(dynamic_networks_reconciles_total{${agents}}[$__rate_interval]))`,
        },
        unit: 'ops',
      },
    ],
  },
  {
    title: 'Queue and calls',
    panels: [
      {
        title: 'Oldest pod in the queue',
        description: 'More than a minute: docs/runbooks/DynamicNetworksQueueStuck.md',
        queries: { '{{node}}': `dynamic_networks_queue_oldest_age_seconds{${agents}}` },
        unit: 's',
      },
      {
        title: 'Pods in the queue',
        description: 'Waiting for a worker, worked on, and coming back later.',
        queries: {
          waiting: `sum(dynamic_networks_queue_depth{${agents}})`,
          running: `sum(dynamic_networks_queue_processing{${agents}})`,
          later: `sum(dynamic_networks_queue_delayed{${agents}})`,
        },
      },
      {
        title: 'API requests per second',
        description: 'By code; an idle agent makes none but its watches.',
        queries: {
          '{{code}}': `sum by (code) (rate(dynamic_networks_api_requests_total{${agents}}[$__rate_interval]))`,
        },
        unit: 'ops',
      },
      {
        title: 'Calls to the container runtime per second',
        description: 'One per first plug of a pod.',
        queries: {
          '{{method}} {{outcome}}': `sum by (method, outcome) (rate(dynamic_networks_cri_calls_total{${agents}}[$__rate_interval]))`,
        },
        unit: 'ops',
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'Memory of agents',
        description: 'Resident; the container is limited to 192 MiB.',
        queries: {
          '{{node}}': `process_resident_memory_bytes{namespace="dynamic-networks", container="agent", ${agents}}`,
        },
        unit: 'bytes',
      },
      {
        title: 'CPU of agents',
        description: 'Share of a core.',
        queries: {
          '{{node}}': `rate(process_cpu_seconds_total{namespace="dynamic-networks", container="agent", ${agents}}[$__rate_interval])`,
        },
        unit: 'percentunit',
      },
      {
        title: 'Controller: reconciles per second',
        description: 'By loop and outcome.',
        queries: {
          '{{loop}} {{outcome}}':
            'sum by (loop, outcome) (rate(dynamic_networks_controller_reconciles_total[$__rate_interval]))',
        },
        unit: 'ops',
      },
      {
        title: 'Controller: oldest object in a queue',
        description: 'By loop.',
        queries: { '{{loop}}': 'max by (loop) (dynamic_networks_controller_queue_oldest_age_seconds)' },
        unit: 's',
      },
    ],
  },
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana, not of ours
const datasource = { type: 'prometheus', uid: '${datasource}' };

const WIDTH = 24;
const HEIGHT = { stat: 5, timeseries: 8 };

const panelOf = (panel: Panel, position: { x: number; y: number; w: number }, id: number) => {
  const { title, description, queries, unit = 'short', kind = 'timeseries' } = panel;
  return {
    id,
    type: kind,
    title,
    description,
    datasource,
    gridPos: { ...position, h: HEIGHT[kind] },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi' } },
    targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat,
    })),
  };
};

const layOut = () => {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, panels }) => {
    const heading = {
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: WIDTH, h: 1 },
      panels: [],
    };
    const w = WIDTH / panels.length;
    const placed = panels.map((panel, index) => panelOf(panel, { x: index * w, y, w }, ++id));
    y += Math.max(...placed.map(({ gridPos }) => gridPos.h));
    return [heading, ...placed];
  });
};

const variable = (name: string, rest: object) => ({ name, label: name, ...rest });

export const renderDashboard = (): string =>
  `${JSON.stringify(
    {
      uid: 'dynamic-networks',
      title: 'dynamic-networks',
      tags: ['kubernetes', 'networking'],
      schemaVersion: 39,
      editable: true,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: {
        list: [
          variable('datasource', { type: 'datasource', query: 'prometheus' }),
          variable('node', {
            type: 'query',
            datasource,
            query: 'label_values(dynamic_networks_pods, node)',
            includeAll: true,
            multi: true,
            allValue: '.*',
            current: { text: 'All', value: '$__all' },
            refresh: 2,
          }),
        ],
      },
      panels: layOut(),
    },
    null,
    2,
  )}\n`;
