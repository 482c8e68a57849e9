// Pods and VMs by node, with their interfaces. Only cards whose pod changed are made anew, so that a thousand stay cheap.
import type { TopologyNode, TopologyPod, TopologyVm } from '../topology.ts';
import { make } from './dom.ts';
import { networkClass } from './network-colour.ts';
import { readinessOf, SIGN, WORD } from './readiness.ts';
import { interfaceId } from './selection.ts';
import { syncChildren } from './sync-children.ts';

interface Card {
  readonly pod: TopologyPod;
  readonly element: HTMLElement;
}

export interface ListInput {
  readonly pods: readonly TopologyPod[];
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  /** Virtual machines that run nowhere. */
  readonly stopped: readonly TopologyVm[];
  readonly selected: string;
}

export class ListView {
  readonly #root: HTMLElement;
  readonly #onSelect: (id: string) => void;
  #cards = new Map<string, Card>();
  readonly #groups = new Map<string, HTMLElement>();

  constructor(root: HTMLElement, onSelect: (id: string) => void) {
    this.#root = root;
    this.#onSelect = onSelect;
    root.addEventListener('keydown', moveFocus);
  }

  render({ pods, nodes, stopped, selected }: ListInput): void {
    const focused = focusedId();
    const byNode = Map.groupBy(pods, ({ node }) => node);
    const cards = new Map<string, Card>();
    const groups = [...byNode]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([node, members]) => {
        const elements = members.map((pod) => {
          const known = this.#cards.get(pod.key);
          const card = known?.pod === pod ? known : { pod, element: this.#makeCard(pod) };
          cards.set(pod.key, card);
          return card.element;
        });
        return this.#group(node, groupTitle(node, members, nodes.get(node)), elements);
      });
    if (stopped.length > 0) groups.push(this.#group('stopped', stoppedTitle(stopped), stopped.map(makeVmCard)));
    this.#cards = cards;
    syncChildren(this.#root, groups);
    for (const row of this.#root.querySelectorAll('[data-id]')) {
      row.setAttribute('aria-pressed', String(row.getAttribute('data-id') === selected));
    }
    if (focused !== undefined && focusedId() === undefined) focusRow(this.#root, focused);
  }

  #group(key: string, title: string, cards: readonly Element[]): HTMLElement {
    const known = this.#groups.get(key);
    const group = known ?? make('section', { class: 'group' }, make('h2'), make('div', { class: 'cards' }));
    this.#groups.set(key, group);
    const [heading, body] = group.children;
    if (heading !== undefined && heading.textContent !== title) heading.textContent = title;
    if (body !== undefined) syncChildren(body, cards);
    return group;
  }

  #makeCard(pod: TopologyPod): HTMLElement {
    const rows = pod.interfaces.map((item) => {
      const how = readinessOf(item);
      const id = interfaceId(pod.key, item.interface, item.network);
      const address = item.ips.join(', ') || (how === 'ready' ? 'no address' : '');
      return make(
        'button',
        {
          class: `iface ${how}`,
          type: 'button',
          attributes: {
            'data-id': id,
            'aria-label': `${item.interface || 'unnamed'} on ${item.network} of ${pod.name}: ${WORD[how]}${item.reason ? `, ${item.reason}` : ''}`,
          },
          onclick: () => this.#onSelect(id),
        },
        make('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, SIGN[how]),
        make('span', { class: 'name' }, item.interface || '(unnamed)'),
        make('span', { class: `tag ${networkClass(item.network)}` }, item.network),
        make('span', { class: 'address' }, how === 'notReady' ? (item.reason ?? WORD[how]) : address || WORD[how]),
      );
    });
    const bare =
      pod.interfaces.length === 0 || pod.reason !== undefined
        ? make('p', { class: 'problem' }, `${pod.reason ?? 'Not ready'}: ${pod.message ?? ''}`)
        : undefined;
    return make(
      'article',
      { class: 'card', attributes: { 'data-pod': pod.key } },
      make(
        'h3',
        {},
        pod.vm === undefined ? undefined : make('span', { class: 'badge' }, 'VM'),
        make('span', { class: 'title', title: pod.name }, pod.vm ?? pod.name),
        make('span', { class: 'muted' }, pod.namespace),
      ),
      pod.vm === undefined ? undefined : make('p', { class: 'muted small' }, pod.name),
      ...rows,
      bare,
    );
  }
}

const groupTitle = (node: string, members: readonly TopologyPod[], known: TopologyNode | undefined): string => {
  const count = `${members.length} pod${members.length === 1 ? '' : 's'}`;
  const state = known?.ready === false ? ', node not ready' : '';
  return `${node || 'Not on a node yet'} (${count}${state})`;
};

const stoppedTitle = ({ length }: readonly TopologyVm[]): string => `Virtual machines that do not run (${length})`;

const makeVmCard = ({ key, state }: TopologyVm): HTMLElement => {
  const [namespace = '', name = ''] = key.split('/');
  return make(
    'article',
    { class: 'card idle' },
    make(
      'h3',
      {},
      make('span', { class: 'badge' }, 'VM'),
      make('span', { class: 'title' }, name),
      make('span', { class: 'muted' }, namespace),
    ),
    make('p', { class: 'muted small' }, state),
  );
};

const focusedId = (): string | undefined => document.activeElement?.getAttribute('data-id') ?? undefined;

const rowsIn = (root: Element): HTMLElement[] =>
  [...root.querySelectorAll('[data-id]')].filter((row) => row instanceof HTMLElement);

const focusRow = (root: Element, id: string): void =>
  rowsIn(root)
    .find((row) => row.getAttribute('data-id') === id)
    ?.focus();

/** Up and down go from interface to interface; Tab does as well, but knows no shortcut out of a thousand. */
const moveFocus = (event: KeyboardEvent): void => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const root = event.currentTarget;
  if (step === 0 || !(root instanceof Element)) return;
  const rows = rowsIn(root);
  const { activeElement } = document;
  const index = activeElement instanceof HTMLElement ? rows.indexOf(activeElement) : -1;
  const next = rows[index + step];
  if (index === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
};
