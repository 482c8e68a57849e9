import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdmissionRequest, Requester } from '../../model/admission.ts';
import { DEFAULT_NETWORK_ANNOTATION } from '../../model/default-network.ts';
import { KnownError } from '../../model/errors.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import type { AdmissionMode } from './access-denial.ts';
import { makeValidateNetworks, type ValidateNetworksDeps } from './validate-networks.ts';

const anna: Requester = { username: 'anna', groups: ['dev'], extra: {} };

interface Edit {
  readonly before?: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly user?: Requester;
}

const requestOf = ({ before, after, user = anna }: Edit): AdmissionRequest => {
  const object = (annotations: Readonly<Record<string, string>>) => ({
    name: 'web',
    generateName: '',
    labels: {},
    annotations,
    owners: [],
  });
  return {
    uid: 'u1',
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'shop',
    user,
    object: object(after),
    oldObject: before && object(before),
  };
};

const makeWorld = (given: Partial<ValidateNetworksDeps> = {}, usable: readonly string[] = []) => {
  const asked: string[] = [];
  const validate = makeValidateNetworks({
    mode: 'enforce',
    access: {
      mayUse: async (user, network) => {
        asked.push(`${user.username} ${network}`);
        return { isAllowed: usable.includes(network) };
      },
    },
    isolation: { isNamespaceIsolated: false, globalNamespaces: [] },
    multusNamespace: 'kube-system',
    ...given,
  });
  return { asked, validate: (edit: Edit) => validate(requestOf(edit), new AbortController().signal) };
};

const networks = (text: string) => ({ [NETWORKS_ANNOTATION]: text });
const byDefault = (text: string) => ({ [DEFAULT_NETWORK_ANNOTATION]: text });

describe('what is asked about', () => {
  it.each<[string, Edit, string[]]>([
    ['a pod is created with networks', { after: networks('blue,net/red') }, ['shop/blue', 'net/red']],
    ['a network is added', { before: networks('blue'), after: networks('blue,red') }, ['shop/red']],
    ['the first network is added', { before: {}, after: networks('[{"name":"blue"}]') }, ['shop/blue']],
    ['one network is named twice', { after: networks('blue@a,blue@b') }, ['shop/blue']],
    ['a second interface on a network that it has', { before: networks('blue'), after: networks('blue@a,blue@b') }, []],
    ['the form changes', { before: networks('blue@a'), after: networks('[{"name":"blue","interface":"a"}]') }, []],
    ['a network is removed', { before: networks('blue,red'), after: networks('red') }, []],
    ['all are removed', { before: networks('blue'), after: {} }, []],
    ['what was malformed is mended', { before: networks('[{'), after: networks('blue') }, ['shop/blue']],
    ['a default network is asked for', { after: byDefault('blue') }, ['kube-system/blue']],
    [
      'a default network of any namespace',
      { before: {}, after: byDefault('[{"name":"blue","namespace":"x"}]') },
      ['x/blue'],
    ],
    [
      'a default network stays, a network comes',
      { before: byDefault('d'), after: { ...byDefault('d'), ...networks('blue') } },
      ['shop/blue'],
    ],
    ['both name the same', { after: { ...byDefault('shop/blue'), ...networks('blue') } }, ['shop/blue']],
    ['the pod has neither', { after: { other: 'x' } }, []],
  ])('%s', async (_, edit, expected) => {
    const { asked, validate } = makeWorld({}, ['shop/blue', 'shop/red', 'net/red', 'kube-system/blue', 'x/blue']);
    expect(await validate(edit)).toEqual({});
    expect(asked).toEqual(expected.map((network) => `anna ${network}`));
  });

  it('asks about a controller in its own name', async () => {
    const user = { username: 'system:serviceaccount:kube-system:replicaset-controller', groups: [], extra: {} };
    const { asked, validate } = makeWorld();
    await validate({ after: networks('blue'), user });
    expect(asked).toEqual(['system:serviceaccount:kube-system:replicaset-controller shop/blue']);
  });
});

describe('a refusal', () => {
  it('names the user, the network and the right that is missing', async () => {
    const { validate } = makeWorld();
    expect(await validate({ after: networks('blue') })).toEqual({
      refusal: {
        reason: 'Forbidden',
        message:
          'user "anna" may not use network shop/blue: verb "use" on network-attachment-definitions.k8s.cni.cncf.io "blue" in namespace "shop" is needed',
      },
    });
  });

  it('adds what the authorizer had to say', async () => {
    const { validate } = makeWorld({ access: { mayUse: async () => ({ isAllowed: false, detail: 'not today' }) } });
    expect((await validate({ after: networks('blue') })).refusal?.message).toMatch(/is needed \(not today\)$/);
  });

  it('names three networks and counts the rest', async () => {
    const { validate } = makeWorld({}, ['shop/b']);
    const { refusal } = await validate({ after: networks('a,b,c,d,e,f') });
    expect(refusal?.message.match(/shop\/\w/g)).toEqual(['shop/a', 'shop/c', 'shop/d']);
    expect(refusal?.message).toMatch(/\(and 2 more\)$/);
  });

  it.each<[string, Edit, string]>([
    ['broken JSON', { after: networks('[{"name":') }, 'k8s.v1.cni.cncf.io/networks: not valid JSON'],
    [
      'a bad interface name',
      { before: networks('blue'), after: networks('blue,red@much-too-long-for-a-name') },
      'k8s.v1.cni.cncf.io/networks: element 2: interface "much-too-long-for-a-name" is 24 bytes long; at most 15 are allowed',
    ],
    ['a path trick', { after: networks('../kube-system/blue') }, 'is not of the form'],
    ['a Unicode look-alike', { after: networks('bluе') }, 'is not a NetworkAttachmentDefinition name'],
    ['a malformed default network', { after: byDefault('a/b/c') }, 'v1.multus-cni.io/default-network: element 1'],
    [
      'two default networks',
      { after: byDefault('a,b') },
      'v1.multus-cni.io/default-network: names 2 networks; a pod has one default network',
    ],
  ])('of %s tells the exact place, and nobody is asked', async (_, edit, message) => {
    const { asked, validate } = makeWorld();
    const { refusal } = await validate(edit);
    expect([refusal?.reason, refusal?.message]).toEqual(['Invalid', expect.stringContaining(message)]);
    expect(asked).toEqual([]);
  });

  it('is not made for what was malformed before and was not touched', async () => {
    const { validate } = makeWorld({}, ['kube-system/d']);
    expect(await validate({ before: networks('[{'), after: { ...networks('[{'), ...byDefault('d') } })).toEqual({});
  });

  it('is made for more networks than one edit may add, without a question', async () => {
    const { asked, validate } = makeWorld();
    const text = Array.from({ length: 65 }, (_, index) => `n${index}`).join(',');
    expect((await validate({ after: networks(text) })).refusal?.message).toBe(
      'k8s.v1.cni.cncf.io/networks: 65 networks are added; at most 64 may be',
    );
    expect(asked).toEqual([]);
  });
});

describe('isolated namespaces', () => {
  const isolation = { isNamespaceIsolated: true, globalNamespaces: ['public'] };
  const all = ['shop/blue', 'public/blue', 'other/blue', 'kube-system/d'];

  it.each<[string, Edit, boolean]>([
    ['a network of the pod’s own namespace', { after: networks('blue') }, true],
    ['one of a global namespace', { after: networks('public/blue') }, true],
    ['one of another namespace', { after: networks('other/blue') }, false],
    [
      'one of another namespace that the pod has already',
      { before: networks('other/blue'), after: networks('other/blue@x,blue') },
      true,
    ],
    ['a default network, which Multus does not isolate', { after: byDefault('d') }, true],
  ])('%s', async (_, edit, isAllowed) => {
    const { validate } = makeWorld({ isolation }, all);
    const { refusal } = await validate(edit);
    expect(refusal === undefined).toBe(isAllowed);
    if (!isAllowed) {
      expect(refusal).toEqual({
        reason: 'Forbidden',
        message:
          'network other/blue is in another namespace, and namespaces are isolated from each other (namespaceIsolation); use a network of shop, or one of public',
      });
    }
  });
});

describe('modes', () => {
  it.each<[AdmissionMode, object]>([
    ['enforce', { refusal: { reason: 'Invalid', message: expect.stringContaining('not valid JSON') } }],
    ['warn', { warnings: [expect.stringMatching(/^dynamic-networks: .*not valid JSON/)] }],
    ['off', {}],
  ])('%s', async (mode, expected) => {
    const { validate } = makeWorld({ mode });
    expect(await validate({ after: networks('[') })).toEqual(expected);
  });

  it('off asks nobody', async () => {
    const { asked, validate } = makeWorld({ mode: 'off' });
    await validate({ after: networks('blue') });
    expect(asked).toEqual([]);
  });
});

describe('when nobody can tell', () => {
  const access = { mayUse: () => Promise.reject(new KnownError('apiUnreachable', 'connection refused')) };
  const message = 'whether user "anna" may use network shop/blue cannot be found out now: connection refused';

  it('enforce refuses for now', async () => {
    const { validate } = makeWorld({ access });
    expect(await validate({ after: networks('blue') })).toEqual({
      refusal: { reason: 'ServiceUnavailable', message, retryAfterSeconds: 1 },
    });
  });

  it('warn warns', async () => {
    const { validate } = makeWorld({ access, mode: 'warn' });
    expect(await validate({ after: networks('blue') })).toEqual({ warnings: [`dynamic-networks: ${message}`] });
  });

  it('a network that is denied for sure counts more', async () => {
    const { validate } = makeWorld({
      access: {
        mayUse: async (_, network) => {
          if (network === 'shop/blue') throw new KnownError('apiUnreachable', 'connection refused');
          return { isAllowed: false };
        },
      },
    });
    expect((await validate({ after: networks('blue,red') })).refusal?.reason).toBe('Forbidden');
  });

  it('a bug is not taken for an answer', async () => {
    const { validate } = makeWorld({ access: { mayUse: () => Promise.reject(new TypeError('bug')) }, mode: 'warn' });
    await expect(validate({ after: networks('blue') })).rejects.toThrow('bug');
  });
});

it('never lets a network pass that was not there before and may not be used, however it is written', async () => {
  const names = fc.constantFrom('a', 'b', 'c', 'other/a', 'other/b');
  const element = fc.record({ name: names, form: fc.boolean() });
  const text = fc.array(element, { maxLength: 6 }).map((elements) =>
    elements.some(({ form }) => form)
      ? JSON.stringify(
          elements.map(({ name }) => {
            const [first = '', second] = name.split('/');
            return second === undefined ? { name: first } : { name: second, Namespace: first };
          }),
        )
      : elements.map(({ name }) => name).join(', '),
  );
  const full = (name: string) => (name.includes('/') ? name : `shop/${name}`);
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      fc.subarray(['shop/a', 'shop/b', 'shop/c', 'other/a', 'other/b']),
      async (before, after, usable) => {
        const { validate } = makeWorld({}, usable);
        const { refusal } = await validate({ before: networks(before), after: networks(after) });
        const namesIn = (written: string) =>
          ['a', 'b', 'c', 'other/a', 'other/b'].map(full).filter((network) => {
            const [namespace, name] = network.split('/');
            return written.startsWith('[')
              ? written.includes(
                  namespace === 'shop' ? `{"name":"${name}"}` : `{"name":"${name}","Namespace":"${namespace}"}`,
                )
              : written.split(', ').map(full).includes(network);
          });
        const isLegal = namesIn(after).every(
          (network) => namesIn(before).includes(network) || usable.includes(network),
        );
        expect(refusal === undefined).toBe(isLegal);
      },
    ),
  );
});
