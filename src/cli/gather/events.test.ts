import { expect, it } from 'vitest';
import { byTime, viewEvent } from './events.ts';

const event = (name: string, resourceVersion: string, lastTimestamp: string) => {
  const viewed = viewEvent({
    metadata: { name, namespace: 'default', resourceVersion },
    involvedObject: {},
    lastTimestamp,
  });
  if (viewed === undefined) throw new Error('not an event');
  return viewed;
};

it('events of the same second come in the order in which they were written', () => {
  const events = [
    event('a', '10', '2026-01-01T00:00:05Z'),
    event('b', '9', '2026-01-01T00:00:05Z'),
    event('c', '99', '2026-01-01T00:00:04Z'),
  ];
  expect(events.toSorted(byTime).map(({ key }) => key)).toEqual(['default/c', 'default/b', 'default/a']);
});
