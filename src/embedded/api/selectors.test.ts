import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { MemoryObjectStore } from './memory-object-store.ts';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'front', 'example.com/zone': 'a', empty: '' };
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app=db', false],
    ['app!=db', true],
    ['absent!=x', true],
    ['absent=x', false],
    ['app=web,tier=back', false],
    ['app=web,tier=front', true],
    ['tier in (front,back)', true],
    ['tier in (back)', false],
    ['tier notin (back, side)', true],
    ['tier notin (front)', false],
    ['absent notin (x)', true],
    ['absent in (x)', false],
    ['example.com/zone', true],
    ['absent', false],
    ['!absent', true],
    ['!app', false],
    ['empty=', true],
    ['app in (web,db),!absent,tier!=back', true],
    ['constructor', false],
    ['!constructor', true],
  ])('%j matches: %s', (selector, expected) => {
    expect(parseLabelSelector(selector)(labels)).toBe(expected);
  });

  it.each(['app=web,', '=web', 'app in web', 'app in (a b)', 'a b', '!', 'app=we b'])(
    '%j is a bad request',
    (selector) => {
      expect(() => parseLabelSelector(selector)).toThrow(ApiError);
    },
  );

  it('takes an object without labels for one with none', () => {
    expect(parseLabelSelector('!app')(undefined)).toBe(true);
    expect(parseLabelSelector('app')(undefined)).toBe(false);
  });
});

describe('field selectors', () => {
  const store = new MemoryObjectStore();
  const pod = store.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'ns' },
    spec: { nodeName: 'node-a', restartPolicy: 'Never' },
    status: { phase: 'Running' },
  });
  const event = store.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'ns' },
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'ns', uid: 'u' },
    reason: 'AddedInterface',
    type: 'Normal',
  });
  it.each([
    ['spec.nodeName=node-a', pod, true],
    ['spec.nodeName==node-b', pod, false],
    ['spec.nodeName!=node-b,status.phase=Running', pod, true],
    ['status.phase!=Running', pod, false],
    ['metadata.name=web,metadata.namespace=ns', pod, true],
    ['spec.restartPolicy=Never', pod, true],
    ['spec.hostNetwork=false', pod, true],
    ['status.podIP=', pod, true],
    ['involvedObject.uid=u,involvedObject.kind=Pod,reason=AddedInterface,type=Normal', event, true],
    ['involvedObject.name=other', event, false],
  ])('%j', (selector, object, expected) => {
    expect(parseFieldSelector(selector, object === pod ? 'pods' : 'events')(object)).toBe(expected);
  });

  it.each([
    ['spec.hostname=x', 'pods', 'field label not supported: spec.hostname'],
    ['spec.nodeName=x', 'network-attachment-definitions', 'field label not supported: spec.nodeName'],
    ['spec.nodeName', 'pods', "invalid selector: 'spec.nodeName'; can't understand 'spec.nodeName'"],
  ])('%j on %s is refused', (selector, resource, message) => {
    expect(() => parseFieldSelector(selector, resource)).toThrow(message);
  });
});
