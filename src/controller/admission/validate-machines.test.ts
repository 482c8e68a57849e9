import { describe, expect, it } from 'vitest';
import type { AdmissionRequest, AdmittedObject } from '../../model/admission.ts';
import { KnownError } from '../../model/errors.ts';
import { makeValidateMachines, type ValidateMachinesDeps } from './validate-machines.ts';

const KEY = 'dynamic-networks.io/networks';
const lan = '[{"name":"lan","nodeNetwork":{}}]';
const two = '[{"name":"lan","nodeNetwork":{}},{"name":"two","nodeNetwork":{}}]';
const annotated = (text: string): Partial<AdmittedObject> => ({ annotations: { [KEY]: text } });
const templated = (text: string): Partial<AdmittedObject> => ({
  spec: { template: { metadata: { annotations: { [KEY]: text } }, spec: {} } },
});
const sourced = (name: string): object => ({ networks: [{ name, nodeNetwork: {} }] });

const makeWorld = (given: Partial<ValidateMachinesDeps> = {}, isAllowed = true) => {
  const asked: string[] = [];
  const validate = makeValidateMachines({
    mode: 'enforce',
    access: {
      mayUse: async (user, network) => {
        asked.push(`${user.username} ${network}`);
        return { isAllowed };
      },
    },
    isolation: { isNamespaceIsolated: false, globalNamespaces: [] },
    nodeNetwork: 'node-network',
    ...given,
  });
  const objectOf = (part: Partial<AdmittedObject>): AdmittedObject => ({
    ...{ name: 'vm-a', generateName: '', labels: {}, annotations: {}, owners: [] },
    ...part,
  });
  const decide = (after: Partial<AdmittedObject>, before?: Partial<AdmittedObject>) => {
    const request: AdmissionRequest = {
      uid: 'u1',
      operation: before === undefined ? 'CREATE' : 'UPDATE',
      namespace: 'shop',
      user: { username: 'anna', groups: ['dev'], extra: {} },
      object: objectOf(after),
      oldObject: before && objectOf(before),
    };
    return validate(request, new AbortController().signal);
  };
  return { asked, decide };
};

describe('the right to the node’s network', () => {
  it.each<[string, Partial<AdmittedObject>, Partial<AdmittedObject> | undefined]>([
    ['a machine is created with the annotation', annotated(lan), undefined],
    ['the annotation is added', annotated(lan), {}],
    ['one more network is added', annotated(two), annotated(lan)],
    ['what was malformed is mended', annotated(lan), annotated('[{')],
    ['the template of a machine has the annotation', templated(lan), {}],
    ['the spec has the source', { spec: sourced('lan') }, {}],
    ['the template’s spec has the source', { spec: { template: { spec: sourced('lan') } } }, undefined],
  ])('is asked for in the user’s name when %s', async (_, after, before) => {
    const { asked, decide } = makeWorld();
    expect(await decide(after, before)).toEqual({});
    expect(asked).toEqual(['anna shop/node-network']);
  });

  it.each<[string, Partial<AdmittedObject>, Partial<AdmittedObject> | undefined]>([
    ['nothing is asked for', {}, undefined],
    ['nothing changes', annotated(lan), annotated(lan)],
    ['a network is taken out', annotated(lan), annotated(two)],
    ['all are taken out', {}, annotated(lan)],
    ['only an address changes', annotated(lan.replace('{}}', '{},"macAddress":"02:00:00:00:00:01"}')), annotated(lan)],
    ['the annotation becomes the source', { spec: sourced('lan') }, annotated(lan)],
    ['the spec is of another shape', { spec: 'x' }, undefined],
  ])('is not asked for when %s', async (_, after, before) => {
    const { asked, decide } = makeWorld();
    expect(await decide(after, before)).toEqual({});
    expect(asked).toEqual([]);
  });

  it('is of the definition that the setting names', async () => {
    const { asked, decide } = makeWorld({ nodeNetwork: 'net/lan' });
    await decide(annotated(lan));
    expect(asked).toEqual(['anna net/lan']);
  });
});

describe('without the right', () => {
  const message =
    'user "anna" may not use network shop/node-network: verb "use" on network-attachment-definitions.k8s.cni.cncf.io "node-network" in namespace "shop" is needed';

  it('the edit is refused, warned of, or passes, as the mode says', async () => {
    expect(await makeWorld({}, false).decide(annotated(lan))).toEqual({ refusal: { reason: 'Forbidden', message } });
    expect(await makeWorld({ mode: 'warn' }, false).decide(annotated(lan))).toEqual({
      warnings: [`dynamic-networks: ${message}`],
    });
    const off = makeWorld({ mode: 'off' }, false);
    expect([await off.decide(annotated(lan)), off.asked]).toEqual([{}, []]);
  });

  it('it is refused for now when nobody can tell', async () => {
    const mayUse = () => Promise.reject(new KnownError('apiUnreachable', 'no answer'));
    expect(await makeWorld({ access: { mayUse } }).decide(annotated(lan))).toMatchObject({
      refusal: { reason: 'ServiceUnavailable', retryAfterSeconds: 1 },
    });
  });

  it('isolation holds for machines too', async () => {
    const isolation = { isNamespaceIsolated: true, globalNamespaces: ['default'] };
    expect(await makeWorld({ isolation, nodeNetwork: 'net/lan' }).decide(annotated(lan))).toMatchObject({
      refusal: { reason: 'Forbidden', message: expect.stringContaining('net') },
    });
    expect(await makeWorld({ isolation, nodeNetwork: 'default/lan' }).decide(annotated(lan))).toEqual({});
  });
});

describe('an annotation that cannot be read', () => {
  it.each([annotated('[{'), templated('[{"name":"lan"}]')])(
    'is refused with the place and the reason: %j',
    async (after) => {
      expect(await makeWorld().decide(after)).toMatchObject({
        refusal: {
          reason: 'Invalid',
          message: expect.stringMatching(/metadata\.annotations: dynamic-networks\.io\/networks/),
        },
      });
    },
  );

  it('that was there before does not stop other edits', async () => {
    expect(await makeWorld().decide({ ...annotated('[{'), labels: { a: 'b' } }, annotated('[{'))).toEqual({});
  });
});
