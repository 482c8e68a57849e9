// One attachment: what is known of it, and what happened to it, newest first.

import type { InterfaceStatus } from '../../logic/pod-networks.ts';
import { age } from '../../render/age.ts';
import type { TimelineEntry, TopologyNetwork, TopologyPod } from '../topology.ts';
import { make } from './dom.ts';
import { networkClass } from './network-colour.ts';
import { readinessOf, SIGN, WORD } from './readiness.ts';

export interface DetailInput {
  readonly pod: TopologyPod | undefined;
  readonly podKey: string;
  readonly item: InterfaceStatus | undefined;
  readonly network: TopologyNetwork | undefined;
  readonly timeline: readonly TimelineEntry[] | string | undefined;
  readonly now: number;
  readonly onClose: () => void;
  readonly onSelect: (item: InterfaceStatus) => void;
}

export const renderDetail = (root: HTMLElement, input: DetailInput): void => {
  const { pod, podKey, item, onClose } = input;
  const isFocusInside = root.contains(document.activeElement);
  const close = make(
    'button',
    { class: 'close', type: 'button', attributes: { 'aria-label': 'Close the detail' }, onclick: onClose },
    '✕',
  );
  const title = item === undefined ? podKey : `${item.interface || '(unnamed)'} on ${item.network}`;
  const how = item && readinessOf(item);
  root.replaceChildren(
    make('header', {}, make('h2', { attributes: { tabindex: '-1' } }, title), close),
    ...(how === undefined ? [] : [make('p', { class: `verdict ${how}` }, `${SIGN[how]} ${WORD[how]}`)]),
    ...(pod === undefined ? [make('p', { class: 'problem' }, 'It is gone.')] : bodyOf(pod, input)),
    make('h3', {}, 'Timeline'),
    ...timelineOf(input.timeline, input.now),
  );
  if (isFocusInside) close.focus();
};

const bodyOf = (pod: TopologyPod, { item, network, now, onSelect }: DetailInput): HTMLElement[] => {
  const problem = item?.reason ?? pod.reason;
  const message = item?.reason === undefined ? pod.message : item.message;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Pod', pod.key],
    ['Virtual machine', pod.vm],
    ['Node', pod.node || 'none yet'],
    ['Phase', pod.phase],
    ...(item === undefined
      ? []
      : ([
          ['Addresses', item.ips.join(', ') || 'none'],
          ['MAC', item.mac],
          ['Desired', yesNo(item.desired)],
          ['Reported', yesNo(item.reported)],
          [
            'Since',
            item.since === undefined
              ? undefined
              : `${age(item.since, now)} ago, ${new Date(item.since).toLocaleString()}`,
          ],
        ] as const)),
    ['Network type', network?.type],
    ['Address management', network?.ipam],
    ['Subnets', network?.subnets.join(', ') || undefined],
    ['Device resource', network?.resourceName],
  ];
  const others = pod.interfaces.filter((other) => other !== item);
  return [
    ...(problem === undefined
      ? []
      : [make('p', { class: 'problem' }, make('strong', {}, problem), ` ${message ?? ''}`)]),
    make(
      'dl',
      { class: 'facts' },
      ...facts.flatMap(([name, value]) => (value === undefined ? [] : [make('dt', {}, name), make('dd', {}, value)])),
    ),
    ...(others.length === 0
      ? []
      : [
          make('h3', {}, item === undefined ? 'Interfaces' : 'Other interfaces of this pod'),
          make(
            'ul',
            { class: 'others' },
            ...others.map((other) =>
              make(
                'li',
                {},
                make(
                  'button',
                  { class: `iface ${readinessOf(other)}`, type: 'button', onclick: () => onSelect(other) },
                  make('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, SIGN[readinessOf(other)]),
                  make('span', { class: 'name' }, other.interface || '(unnamed)'),
                  make('span', { class: `tag ${networkClass(other.network)}` }, other.network),
                  make('span', { class: 'address' }, other.ips.join(', ')),
                ),
              ),
            ),
          ),
        ]),
    make('h3', {}, 'In a terminal'),
    make(
      'pre',
      {},
      `kubectl dnet status ${pod.name} -n ${pod.namespace}\nkubectl dnet events ${pod.name} -n ${pod.namespace}`,
    ),
  ];
};

const yesNo = (value: boolean | undefined): string => (value === undefined ? 'not known' : value ? 'yes' : 'no');

const timelineOf = (timeline: DetailInput['timeline'], now: number): HTMLElement[] => {
  if (timeline === undefined) return [make('p', { class: 'muted' }, 'Reading events …')];
  if (typeof timeline === 'string') return [make('p', { class: 'problem' }, `Events cannot be read: ${timeline}`)];
  if (timeline.length === 0)
    return [make('p', { class: 'muted' }, 'No events. The API server forgets them after an hour.')];
  const entries = timeline
    .toReversed()
    .map((entry) =>
      make(
        'li',
        { class: entry.type === 'Warning' ? 'warning' : '' },
        make('time', { attributes: { datetime: entry.time ?? '' } }, `${age(entry.time, now)} ago`),
        make('strong', {}, entry.reason),
        make('span', { class: 'muted small' }, `${entry.source}${entry.count > 1 ? `, ${entry.count} times` : ''}`),
        make('p', {}, entry.message),
      ),
    );
  return [make('ol', { class: 'timeline' }, ...entries)];
};
