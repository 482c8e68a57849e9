import type { TopologyPod } from '../topology.ts';
import { makeSvg } from './dom.ts';
import { BOX_HEIGHT, BOX_WIDTH, layOutMap, MAX_PODS, type MapBox } from './map-layout.ts';
import { networkClass } from './network-colour.ts';
import { SIGN, WORD } from './readiness.ts';

const LABEL_CHARACTERS = 25;
const MIN_WIDTH = 860;

export interface MapContent {
  readonly pods: readonly TopologyPod[];
  /** Networks that are shown although nobody may be on them. */
  readonly networks: readonly string[];
  readonly onChoose: (box: MapBox) => void;
}

export const renderMap = (root: HTMLElement, { pods, networks, onChoose }: MapContent): void => {
  const focused = document.activeElement?.getAttribute('data-box');
  const layout = layOutMap(pods, Math.max(MIN_WIDTH, root.clientWidth), networks);
  const note = document.createElement('p');
  note.className = 'muted small';
  note.textContent = layout.isAggregated
    ? `More than ${MAX_PODS} pods: lines go from networks to nodes, and are thicker the more interfaces they stand for. Filter to see pods.`
    : 'Choose a network or a node to filter by it, a pod to see its detail.';
  const svg = makeSvg(
    'svg',
    {
      attributes: {
        viewBox: `0 0 ${layout.width} ${layout.height}`,
        width: String(layout.width),
        height: String(layout.height),
        role: 'group',
        'aria-label': 'Map of networks, pods and nodes',
      },
    },
    ...layout.links.map(({ path, width, network, worst, label }) =>
      makeSvg(
        'path',
        {
          class: `link ${worst} ${network === undefined ? '' : networkClass(network)}`,
          attributes: { d: path, 'stroke-width': String(width) },
        },
        makeSvg('title', {}, label),
      ),
    ),
    ...layout.boxes.map((box) => makeBox(box, onChoose)),
  );
  root.replaceChildren(note, svg);
  if (focused) svg.querySelector<SVGElement>(`[data-box="${CSS.escape(focused)}"]`)?.focus();
};

const makeBox = (box: MapBox, onChoose: (box: MapBox) => void): SVGElement => {
  const colour = box.column === 'network' ? networkClass(box.key) : '';
  const group = makeSvg(
    'g',
    {
      class: `box ${box.column} ${box.worst ?? 'unused'} ${colour}`,
      attributes: {
        transform: `translate(${box.x} ${box.y})`,
        role: 'button',
        tabindex: '0',
        'data-box': `${box.column} ${box.key}`,
        'aria-label': [`${box.column} ${box.label}`, box.detail, ...(box.worst ? [WORD[box.worst]] : [])].join(', '),
      },
      onclick: () => onChoose(box),
    },
    makeSvg('title', {}, `${box.label}\n${box.detail}`),
    makeSvg('rect', { attributes: { width: String(BOX_WIDTH), height: String(BOX_HEIGHT), rx: '6' } }),
    makeSvg('text', { class: 'label', attributes: { x: '12', y: '17' } }, cut(box.label)),
    makeSvg('text', { class: 'small', attributes: { x: '12', y: '32' } }, cut(box.detail)),
    makeSvg(
      'text',
      { class: 'sign', attributes: { x: String(BOX_WIDTH - 20), y: '25' } },
      box.worst ? SIGN[box.worst] : '',
    ),
  );
  group.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onChoose(box);
  });
  return group;
};

const cut = (text: string): string =>
  text.length <= LABEL_CHARACTERS ? text : `${text.slice(0, LABEL_CHARACTERS - 1)}…`;
