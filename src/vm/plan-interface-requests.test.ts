import { describe, expect, it } from 'vitest';
import {
  INTERFACE_REQUESTS_ANNOTATION,
  parseRequests,
  parseRequestsText,
  rawRequest,
  withRequest,
} from './interface-requests.ts';
import type { NetworkSpec } from './network-spec.ts';
import { planInterfaceRequests } from './plan-interface-requests.ts';
import { bridge, bridged, masquerade, multus, podNetwork, spec, sriov, status } from './test-machines.ts';

const add = (name: string, more: object = {}) => ({
  addInterfaceOptions: { name, networkAttachmentDefinitionName: `nad-${name}`, ...more },
});
const remove = (name: string) => ({ removeInterfaceOptions: { name } });
const once = (request: object) => ({ ...request, persist: false });
const absent = { state: 'absent' };

const running = (machine: NetworkSpec, prefix = 'pod') => ({
  spec: machine,
  status: status(
    ...machine.networks.map(({ name }, index) => ({
      name,
      podInterfaceName: prefix === 'net' ? `net${index}` : `pod${name}`,
    })),
  ),
});
const raws = (lists: { interfaces: readonly { raw: object }[] } | undefined) => lists?.interfaces.map(({ raw }) => raw);

describe('interface requests', () => {
  it('a persistent addition changes the template and is done with that', () => {
    const plan = planInterfaceRequests({
      requests: parseRequests([add('blue', { macAddress: '02:00:00:00:00:01' })]),
      template: bridged(),
      machine: running(bridged()),
    });
    expect(raws(plan.template)).toEqual([masquerade, bridge('blue', { macAddress: '02:00:00:00:00:01' })]);
    expect(plan.template?.networks[1]?.raw).toEqual(multus('blue'));
    expect(plan).toMatchObject({ remaining: [], refusals: [] });
    expect(plan.machine).toBeUndefined();
  });

  it('an addition to the running machine alone changes its spec, and is done when that shows it', () => {
    const request = once(add('blue'));
    const plan = planInterfaceRequests({
      requests: parseRequests([request]),
      template: bridged(),
      machine: running(bridged()),
    });
    expect(raws(plan.machine)).toEqual([masquerade, bridge('blue')]);
    expect(plan.template).toBeUndefined();
    expect(plan.remaining).toEqual([request]);
    const after = planInterfaceRequests({
      requests: parseRequests([request]),
      template: bridged(),
      machine: running(bridged('blue')),
    });
    expect(after).toEqual({ remaining: [], refusals: [] });
  });

  it('a persistent removal marks the template of a running machine, and cleans that of a stopped one', () => {
    const requests = parseRequests([remove('blue')]);
    const template = bridged('blue', 'red');
    expect(raws(planInterfaceRequests({ requests, template, machine: running(template) }).template)).toEqual([
      masquerade,
      bridge('blue', absent),
      bridge('red'),
    ]);
    expect(raws(planInterfaceRequests({ requests, template, machine: undefined }).template)).toEqual([
      masquerade,
      bridge('red'),
    ]);
  });

  it('a removal from the running machine alone marks its spec, and is done when that shows it', () => {
    const requests = parseRequests([once(remove('blue'))]);
    const plan = planInterfaceRequests({ requests, template: bridged(), machine: running(bridged('blue')) });
    expect(raws(plan.machine)).toEqual([masquerade, bridge('blue', absent)]);
    expect(plan.remaining).toHaveLength(1);
    const marked = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', absent)]);
    expect(planInterfaceRequests({ requests, template: bridged(), machine: running(marked) })).toEqual({
      remaining: [],
      refusals: [],
    });
  });

  it.each([
    ['what is asked for is there already', [add('blue')], bridged('blue'), running(bridged('blue'))],
    ['what is to go is not there', [remove('blue'), once(remove('red'))], bridged(), running(bridged())],
  ])('are done without a change when %s', (_situation, requests, template, machine) => {
    expect(planInterfaceRequests({ requests: parseRequests(requests), template, machine })).toEqual({
      remaining: [],
      refusals: [],
    });
  });

  it('an addition waits for the end of an unplug of its name, and later requests for that name wait with it', () => {
    const template = spec([podNetwork, multus('blue')], [masquerade, bridge('blue', absent)]);
    const requests = [add('blue'), remove('blue'), add('red')];
    const plan = planInterfaceRequests({ requests: parseRequests(requests), template, machine: running(template) });
    expect(plan.remaining).toEqual(requests.slice(0, 2));
    expect(raws(plan.template)?.at(-1)).toEqual(bridge('red'));
  });

  it('are carried out in their order', () => {
    const requests = parseRequests([
      add('blue'),
      remove('blue'),
      add('blue', { networkAttachmentDefinitionName: 'other' }),
    ]);
    const plan = planInterfaceRequests({ requests, template: bridged(), machine: running(bridged()) });
    expect(plan.template?.networks.at(-1)?.definition).toBe('other');
    expect(plan.remaining).toEqual([]);
  });

  it.each([
    [
      'the machine does not run and the change is not persistent',
      [once(add('blue'))],
      bridged(),
      undefined,
      /start it/,
    ],
    [
      'the name is taken by another network',
      [add('blue', { networkAttachmentDefinitionName: 'other' })],
      bridged('blue'),
      undefined,
      /another name/,
    ],
    ['the name is the primary network’s', [add('default')], bridged(), undefined, /another name/],
    [
      'the template has the name and the running machine not',
      [once(add('blue'))],
      bridged('blue'),
      running(bridged()),
      /choose another/,
    ],
    [
      'the template would plug it again',
      [once(remove('blue'))],
      bridged('blue'),
      running(bridged('blue')),
      /persistent/,
    ],
    ['names in the pod are ordinal', [remove('blue')], bridged('blue'), running(bridged('blue'), 'net'), /ordinal/],
    [
      'the interface is an SR-IOV one',
      [remove('sr1')],
      spec([multus('sr1')], [sriov('sr1')]),
      undefined,
      /bridge binding/,
    ],
    [
      'the interface is the primary one',
      [remove('default')],
      spec([podNetwork], [bridge('default')]),
      undefined,
      /secondary/,
    ],
  ])('are refused and dropped when %s', (_situation, requests, template, machine, message) => {
    const plan = planInterfaceRequests({ requests: parseRequests(requests), template, machine });
    expect(plan).toMatchObject({ remaining: [], refusals: [{ problem: { reason: 'InterfaceRequestRefused' } }] });
    expect(plan.refusals[0]?.problem.message).toMatch(message);
    expect([plan.template, plan.machine]).toEqual([undefined, undefined]);
  });

  it.each([
    ['neither option', {}, /either/],
    ['both options', { ...add('a'), ...remove('a') }, /either/],
    ['no name', { addInterfaceOptions: { networkAttachmentDefinitionName: 'n' } }, /names no interface/],
    ['no network', { addInterfaceOptions: { name: 'n' } }, /networkAttachmentDefinitionName/],
    ['no object', 'blue', /either/],
    ['null', null, /either/],
  ])('one with %s is dropped with the reason, and the others are carried out', (_situation, bad, message) => {
    const plan = planInterfaceRequests({
      requests: parseRequests([bad, add('blue')]),
      template: bridged(),
      machine: undefined,
    });
    expect(plan.refusals).toMatchObject([
      { problem: { reason: 'InvalidInterfaceRequest', message: expect.stringMatching(message) } },
    ]);
    expect(raws(plan.template)).toEqual([masquerade, bridge('blue')]);
  });
});

describe('the annotation', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['[]', 0],
    [JSON.stringify([add('a'), remove('b')]), 2],
  ])('%j holds %i requests', (text, count) => {
    expect(parseRequestsText(text)).toMatchObject({ ok: true, requests: { length: count } });
  });

  it.each(['{', '{}', '"blue"', '12'])('%j is left alone, and its author told', (text) => {
    expect(parseRequestsText(text)).toMatchObject({
      ok: false,
      problem: { reason: 'InvalidInterfaceRequest', message: expect.stringContaining(INTERFACE_REQUESTS_ANNOTATION) },
    });
  });

  it('takes one more request after those of others, and is read back as it was meant', () => {
    const request = {
      verb: 'add',
      name: 'blue',
      definition: 'infra/nad',
      mac: '02:00:00:00:00:01',
      isPersistent: false,
    } as const;
    const text = withRequest(
      withRequest('[{"strange":1}]', { verb: 'remove', name: 'red', isPersistent: true }),
      request,
    );
    const parsed = parseRequestsText(text);
    expect(parsed.ok && parsed.requests.map((one) => (one.ok ? one.request : one.raw))).toEqual([
      { strange: 1 },
      { verb: 'remove', name: 'red', isPersistent: true },
      request,
    ]);
    expect(rawRequest(request)).toMatchObject({ persist: false });
  });
});
