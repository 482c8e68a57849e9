// The page: messages of the server change the store, and everything shown is derived from the store, the filter and the
// selection, once per frame at most.
import type { TimelineEntry, TopologyMessage, TopologyPod } from '../topology.ts';
import { Controls } from './controls.ts';
import { renderDetail } from './detail-view.ts';
import { getElement, make } from './dom.ts';
import { filterPod } from './filter.ts';
import { ListView } from './list-view.ts';
import type { MapBox } from './map-layout.ts';
import { renderMap } from './map-view.ts';
import { type Readiness, readinessOf, WORD } from './readiness.ts';
import { interfaceId, parseSelection, podId } from './selection.ts';
import { Store } from './store.ts';

const token = new URLSearchParams(location.search).get('token') ?? '';
const store = new Store();
const list = new ListView(getElement('list', HTMLElement), select);
const controls = new Controls(schedule);
const detail = getElement('detail', HTMLElement);
const connection = getElement('connection', HTMLElement);

let isScheduled = false;
let hasSnapshot = false;
let isLive = false;
let timeline: readonly TimelineEntry[] | string | undefined;
/** What the timeline was read for: pod and its state then. */
let timelineOf: { readonly podKey: string; readonly pod: TopologyPod | undefined } | undefined;

function selectedId(): string {
  return decodeURIComponent(location.hash.replace(/^#/, ''));
}

function select(id: string): void {
  location.hash = encodeURIComponent(id);
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    render();
  });
}

function render(): void {
  const { filter, view } = controls;
  const all = store.sortedPods();
  const pods = all.flatMap((pod) => filterPod(pod, filter) ?? []);
  controls.offer(store);
  renderHead(all);
  if (view === 'list') {
    list.render({ pods, nodes: store.nodes, stopped: stoppedVms(), selected: selectedId() });
  } else renderMap(getElement('map', HTMLElement), { pods, networks: idleNetworks(), onChoose: choose });
  const interfaces = pods.reduce((sum, pod) => sum + pod.interfaces.length, 0);
  setText('shown', hasSnapshot ? `${interfaces} interfaces of ${pods.length} pods shown` : '');
  const empty = getElement('empty', HTMLElement);
  empty.hidden = pods.length > 0 || !hasSnapshot;
  empty.textContent =
    all.length === 0
      ? 'No pod has secondary networks. Plug one: kubectl dnet plug POD NETWORK'
      : 'Nothing fits this filter.';
  renderSelected();
}

/** Only without a filter: they have no interface that could pass one. */
function idleNetworks(): string[] {
  return Object.values(controls.filter).every((value) => value === '') ? [...store.networks.keys()] : [];
}

/** Likewise, but for the namespace, which they have. */
function stoppedVms() {
  const { text, state, network, node, namespace } = controls.filter;
  if (text !== '' || state !== '' || network !== '' || node !== '') return [];
  const running = new Set(
    [...store.pods.values()].flatMap((pod) => (pod.vm === undefined ? [] : [`${pod.namespace}/${pod.vm}`])),
  );
  return [...store.vms.values()]
    .filter(({ key }) => !running.has(key) && (namespace === '' || key.startsWith(`${namespace}/`)))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function renderHead(pods: readonly TopologyPod[]): void {
  setText('cluster', `${store.cluster}${store.namespace === undefined ? '' : ` / ${store.namespace}`}`);
  const nodes = new Set(pods.map(({ node }) => node)).size;
  const states = pods.flatMap((pod) => pod.interfaces.map(readinessOf));
  const counts: readonly (readonly [string, number, Readiness | ''])[] = [
    [plural('network', store.networks.size), store.networks.size, ''],
    [plural('node', nodes), nodes, ''],
    [plural('pod', pods.length), pods.length, ''],
    ...(['ready', 'notReady', 'pending'] as const).map(
      (state) => [WORD[state], states.filter((each) => each === state).length, state] as const,
    ),
  ];
  getElement('counts', HTMLElement).replaceChildren(
    ...counts.map(([name, count, state]) =>
      make(
        'div',
        { class: state !== '' && count > 0 ? state : '' },
        make('dt', {}, name),
        make('dd', {}, String(count)),
      ),
    ),
  );
  const problems = getElement('problems', HTMLElement);
  problems.hidden = store.problems.length === 0;
  problems.textContent = store.problems.join('; ');
  const word = isLive ? (store.problems.length === 0 ? 'live' : 'partly live') : 'reconnecting';
  if (connection.textContent !== word) connection.textContent = word;
  connection.className = `connection ${isLive && store.problems.length === 0 ? 'ready' : 'pending'}`;
}

function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

function choose({ column, key }: MapBox): void {
  const { filter } = controls;
  if (column === 'network') controls.set({ network: filter.network === key ? '' : key });
  else if (column === 'node') controls.set({ node: filter.node === key ? '' : key });
  else select(podId(key));
}

function renderSelected(): void {
  const selection = parseSelection(selectedId());
  const wasHidden = detail.hidden;
  detail.hidden = selection === undefined;
  if (selection === undefined) return;
  const pod = store.pods.get(selection.podKey);
  const item = pod?.interfaces.find(
    (each) => each.interface === selection.interface && each.network === selection.network,
  );
  if (timelineOf?.podKey !== selection.podKey || timelineOf.pod !== pod) void readTimeline(selection.podKey, pod);
  renderDetail(detail, {
    pod,
    podKey: selection.podKey,
    item,
    network: item && store.networks.get(item.network),
    timeline,
    now: Date.now(),
    onClose: close,
    onSelect: (other) => select(interfaceId(selection.podKey, other.interface, other.network)),
  });
  if (wasHidden) detail.querySelector<HTMLElement>('h2')?.focus();
}

function close(): void {
  const id = selectedId();
  history.replaceState(null, '', location.pathname + location.search);
  schedule();
  document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus();
}

/** Events follow a change by a moment, so they are read again when the pod changed. */
async function readTimeline(podKey: string, pod: TopologyPod | undefined): Promise<void> {
  if (timelineOf?.podKey !== podKey) timeline = undefined;
  timelineOf = { podKey, pod };
  const [namespace = '', name = ''] = podKey.split('/');
  const read = async (): Promise<readonly TimelineEntry[] | string> => {
    const answer = await fetch(`/timeline?${new URLSearchParams({ token, namespace, pod: name })}`);
    return answer.ok ? await answer.json() : await answer.text();
  };
  for (const delayMs of [0, 1500]) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (timelineOf.podKey !== podKey || timelineOf.pod !== pod) return;
    const entries = await read().catch(String);
    if (timelineOf.podKey !== podKey) return;
    timeline = entries;
    schedule();
  }
}

function setText(id: string, text: string): void {
  const element = getElement(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
}

/** The browser connects again by itself; the server then sends everything anew. */
const source = new EventSource(`/stream?${new URLSearchParams({ token })}`);
source.addEventListener('message', ({ data }) => {
  const message: TopologyMessage = JSON.parse(data);
  store.apply(message);
  isLive = true;
  hasSnapshot = true;
  schedule();
});
source.addEventListener('error', () => {
  isLive = false;
  schedule();
});
window.addEventListener('hashchange', schedule);
window.addEventListener('resize', schedule);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !detail.hidden) close();
});
setInterval(() => {
  if (!detail.hidden) schedule(); // ages
}, 10_000);
schedule();
