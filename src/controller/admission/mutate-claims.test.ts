import { describe, expect, it } from 'vitest';
import type { AdmissionDecision, AdmissionRequest, AdmittedObject } from '../../model/admission.ts';
import { KnownError } from '../../model/errors.ts';
import { type NetworkName, networkName } from '../../model/keys.ts';
import { NETWORKS_ANNOTATION } from '../../model/network-selection.ts';
import { makeMutateClaims } from './mutate-claims.ts';
import type { AddressClaim, AddressSource, Machine } from './ports.ts';

// The hashed names are KubeVirt's own: blue and red.
const BLUE = 'pod16477688c0e';
const RED = 'podb1f51a511f1';
const nad = (name: string): NetworkName => networkName('ns1', name);

const machine: Machine = {
  uid: 'vmi-uid',
  ownerUid: 'vm-uid',
  networks: [
    { name: 'blue', network: nad('nad') },
    { name: 'red', network: nad('nad') },
  ],
};

const claim = (given: Partial<AddressClaim> = {}): AddressClaim => ({
  owners: ['vm-uid'],
  isDeleting: false,
  ips: ['10.1.0.5/24', 'fd00::5/64'],
  ...given,
});

interface World {
  readonly claims: Record<string, AddressClaim>;
  /** Claims that appear while somebody waits for them. */
  late: Record<string, AddressClaim>;
  sources: Record<string, AddressSource>;
  known: Machine | undefined;
  current: Machine | undefined;
  waitedMs: number[];
  failure: Error | undefined;
}

const makeWorld = (given: Partial<World> = {}): World => ({
  claims: { 'ns1/vm-a.blue': claim(), 'ns1/vm-a.red': claim({ ips: ['10.1.0.6/24'] }) },
  late: {},
  sources: { 'ns1/nad': 'ours' },
  known: machine,
  current: machine,
  waitedMs: [],
  failure: undefined,
  ...given,
});

const launcher = (text: string): AdmittedObject => ({
  name: '',
  generateName: 'virt-launcher-vm-a-',
  labels: { 'kubevirt.io': 'virt-launcher' },
  annotations: { 'kubevirt.io/domain': 'vm-a', [NETWORKS_ANNOTATION]: text },
  owners: [{ kind: 'VirtualMachineInstance', name: 'vm-a', uid: 'vmi-uid', isController: true }],
});

const setPod = (text: string): AdmittedObject => ({
  name: 'db-0',
  generateName: 'db-',
  labels: { 'dynamic-networks.io/persistent-ips': 'true' },
  annotations: { [NETWORKS_ANNOTATION]: text },
  owners: [{ kind: 'StatefulSet', name: 'db', uid: 'set-uid', isController: true }],
});

const mutate = (world: World, object: AdmittedObject, oldObject?: AdmittedObject): Promise<AdmissionDecision> => {
  const request: AdmissionRequest = {
    uid: 'u1',
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'ns1',
    user: { username: 'kubevirt-controller', groups: [], extra: {} },
    object,
    oldObject,
  };
  const decide = makeMutateClaims({
    claimWaitMs: 2000,
    machines: {
      find: () => world.known,
      fetch: async () => {
        if (world.failure) throw world.failure;
        return world.current;
      },
    },
    networks: { findSource: async (network) => world.sources[network] ?? 'none' },
    claims: {
      waitFor: async (key, isEnough, waitMs) => {
        world.waitedMs.push(waitMs);
        const now = world.claims[key];
        if (now !== undefined && isEnough(now)) return now;
        return waitMs > 0 ? (world.late[key] ?? now) : now;
      },
    },
  });
  return decide(request, new AbortController().signal);
};

const textAfter = ({ patch = [] }: AdmissionDecision): unknown => {
  expect(patch.map(({ op, path }) => [op, path])).toEqual([
    ['replace', '/metadata/annotations/k8s.v1.cni.cncf.io~1networks'],
  ]);
  const [only] = patch;
  return only !== undefined && 'value' in only ? only.value : undefined;
};

const element = (iface: string, more = '') => `{"name":"nad","namespace":"ns1","interface":"${iface}"${more}}`;
const withBlue = ',"ips":["10.1.0.5/24","fd00::5/64"],"ipam-claim-reference":"vm-a.blue"';
const withRed = ',"ips":["10.1.0.6/24"],"ipam-claim-reference":"vm-a.red"';

describe('a launcher pod', () => {
  it('gets reference and addresses for each network, also when two share a definition', async () => {
    const decision = await mutate(makeWorld(), launcher(`[${element(RED)},${element(BLUE)}]`));
    expect(textAfter(decision)).toBe(`[${element(RED, withRed)},${element(BLUE, withBlue)}]`);
  });

  it('gets only the reference where another allocator fills the claim, whether it has or not', async () => {
    const world = makeWorld({ sources: { 'ns1/nad': 'other' }, claims: { 'ns1/vm-a.blue': claim({ ips: [] }) } });
    const decision = await mutate(world, launcher(`[${element(BLUE)}]`));
    expect(textAfter(decision)).toBe(`[${element(BLUE, ',"ipam-claim-reference":"vm-a.blue"')}]`);
  });

  it('gets back what a rewrite dropped, when a network is hot-plugged', async () => {
    const before = launcher(`[${element(BLUE, withBlue)}]`);
    const decision = await mutate(makeWorld(), launcher(`[${element(BLUE)},${element(RED)}]`), before);
    expect(textAfter(decision)).toBe(`[${element(BLUE, withBlue)},${element(RED, withRed)}]`);
  });

  it('that has everything is left alone', async () => {
    expect(await mutate(makeWorld(), launcher(`[${element(BLUE, withBlue)}]`))).toEqual({});
  });

  it('is told when it asked for other addresses than its claim has', async () => {
    const decision = await mutate(makeWorld(), launcher(`[${element(BLUE, ',"ips":["10.1.0.99"]')}]`));
    expect(textAfter(decision)).toBe(`[${element(BLUE, withBlue)}]`);
    expect(decision.warnings).toEqual([
      "dynamic-networks: network ns1/nad: ips 10.1.0.99 were replaced by the claim's 10.1.0.5/24, fd00::5/64",
    ]);
  });

  it.each<[string, string, Partial<World>]>([
    ['on a network without persistent addresses', `[${element(BLUE)}]`, { sources: {} }],
    ['of a binding plugin', '[{"name":"nad","namespace":"ns1","cni-args":{"logicNetworkName":"blue"}}]', {}],
    ['that is none of the machine’s', `[${element('extra0')}]`, {}],
    ['of a machine that is gone', `[${element(BLUE)}]`, { known: undefined, current: undefined }],
    [
      'of a machine of the same name that came after',
      `[${element(BLUE)}]`,
      { known: undefined, current: { ...machine, uid: 'x' } },
    ],
  ])('keeps an element %s as it is', async (_, text, given) => {
    expect(await mutate(makeWorld(given), launcher(text))).toEqual({});
  });

  it('is asked about again when the watch does not know the network yet', async () => {
    const world = makeWorld({ known: { ...machine, networks: [] } });
    expect(textAfter(await mutate(world, launcher(`[${element(BLUE)}]`)))).toBe(`[${element(BLUE, withBlue)}]`);
  });

  it('whose machine was replaced is not given the claims of the former one’s copy', async () => {
    const world = makeWorld({ known: { ...machine, uid: 'former' }, current: { ...machine, ownerUid: undefined } });
    expect((await mutate(world, launcher(`[${element(BLUE)}]`))).refusal?.reason).toBe('Conflict');
  });
});

describe('ordinal names', () => {
  it('of two networks on one definition follow the order of the spec', async () => {
    const decision = await mutate(makeWorld(), launcher(`[${element('net2')},${element('net1')}]`));
    expect(textAfter(decision)).toBe(`[${element('net2', withRed)},${element('net1', withBlue)}]`);
  });

  it('of one network on a definition follow the definition, whatever the number', async () => {
    const networks = [
      { name: 'other', network: nad('other') },
      { name: 'blue', network: nad('nad') },
    ];
    const world = makeWorld({ current: { ...machine, networks } });
    expect(textAfter(await mutate(world, launcher(`[${element('net1')}]`)))).toBe(`[${element('net1', withBlue)}]`);
  });

  it('that cannot be told apart are refused, not guessed', async () => {
    const { refusal } = await mutate(makeWorld(), launcher(`[${element('net3')}]`));
    expect(refusal).toEqual({
      reason: 'Conflict',
      message: 'network ns1/nad: which of blue, red the interface net3 is cannot be told',
    });
  });
});

describe('a claim', () => {
  it('that is late is waited for', async () => {
    const world = makeWorld({ claims: { 'ns1/vm-a.blue': claim({ ips: [] }) }, late: { 'ns1/vm-a.blue': claim() } });
    expect(textAfter(await mutate(world, launcher(`[${element(BLUE)}]`)))).toBe(`[${element(BLUE, withBlue)}]`);
    expect(world.waitedMs).toEqual([2000]);
  });

  it.each<[string, Record<string, AddressClaim>, string, boolean]>([
    ['that does not come', {}, 'IPAMClaim vm-a.blue does not exist yet; try again', true],
    [
      'that gets no addresses in time',
      { 'ns1/vm-a.blue': claim({ ips: [] }) },
      'IPAMClaim vm-a.blue has no addresses yet; try again',
      true,
    ],
    [
      'that is being deleted and has no addresses',
      { 'ns1/vm-a.blue': claim({ isDeleting: true, ips: [] }) },
      'IPAMClaim vm-a.blue is being deleted; try again',
      true,
    ],
    [
      'that the pool has no address for',
      {
        'ns1/vm-a.blue': claim({
          ips: [],
          refusal: { reason: 'PoolExhausted', message: 'every IPv4 address is taken' },
        }),
      },
      'IPAMClaim vm-a.blue: PoolExhausted: every IPv4 address is taken',
      false,
    ],
  ])('%s refuses the pod for now: no pod starts without its address', async (_, claims, message, isSoon) => {
    const { refusal, patch } = await mutate(makeWorld({ claims }), launcher(`[${element(BLUE)}]`));
    expect(refusal).toEqual({
      reason: 'ServiceUnavailable',
      message: `network ns1/nad: ${message}`,
      ...(isSoon && { retryAfterSeconds: 1 }),
    });
    expect(patch).toBeUndefined();
  });

  it.each([
    ['of another machine', ['x']],
    ['of nobody', []],
    ['of this machine and another', ['vm-uid', 'x']],
  ])('%s is not used', async (_, owners) => {
    const world = makeWorld({ claims: { 'ns1/vm-a.blue': claim({ owners }) } });
    expect((await mutate(world, launcher(`[${element(BLUE)}]`))).refusal).toEqual({
      reason: 'Conflict',
      message: 'network ns1/nad: IPAMClaim vm-a.blue belongs to another owner',
    });
  });

  it('of the machine instance itself is used, when there is no VirtualMachine', async () => {
    const world = makeWorld({
      known: { ...machine, ownerUid: undefined },
      claims: { 'ns1/vm-a.blue': claim({ owners: ['vmi-uid'] }) },
    });
    expect(textAfter(await mutate(world, launcher(`[${element(BLUE)}]`)))).toBe(`[${element(BLUE, withBlue)}]`);
  });
});

describe('a pod of a StatefulSet that opts in', () => {
  const claims = {
    'ns1/db-0.net1': claim({ owners: ['set-uid'] }),
    'ns1/db-0.data': claim({ owners: ['set-uid'], ips: ['10.1.0.9/24'] }),
  };

  it('has claims by its name and the interface’s, given or counted', async () => {
    const decision = await mutate(makeWorld({ claims }), setPod('nad, nad@data'));
    expect(JSON.parse(String(textAfter(decision)))).toEqual([
      { name: 'nad', namespace: 'ns1', ips: ['10.1.0.5/24', 'fd00::5/64'], 'ipam-claim-reference': 'db-0.net1' },
      { name: 'nad', namespace: 'ns1', interface: 'data', ips: ['10.1.0.9/24'], 'ipam-claim-reference': 'db-0.data' },
    ]);
  });

  it('is refused for now while a claim is missing at its creation', async () => {
    const { refusal } = await mutate(makeWorld({ claims }), setPod('nad@other'));
    expect(refusal?.message).toBe('network ns1/nad: IPAMClaim db-0.other does not exist yet; try again');
  });

  it('may be given a network later that its template does not have, with a warning and without waiting', async () => {
    const world = makeWorld({ claims });
    expect(await mutate(world, setPod('nad@other'), setPod(''))).toEqual({
      warnings: ['dynamic-networks: network ns1/nad: there is no IPAMClaim db-0.other, so its addresses are not kept'],
    });
    expect(world.waitedMs).toEqual([0]);
  });

  it('without a StatefulSet behind it is told that the label does nothing', async () => {
    const decision = await mutate(makeWorld(), { ...setPod('nad'), owners: [] });
    expect(decision).toEqual({ warnings: [expect.stringContaining('only pods of a StatefulSet have claims')] });
  });
});

describe('other pods', () => {
  it.each<[string, AdmittedObject]>([
    ['without the label', { ...setPod('nad'), labels: {} }],
    ['with the label switched off', { ...setPod('nad'), labels: { 'dynamic-networks.io/persistent-ips': 'false' } }],
    ['without networks', { ...setPod(''), annotations: {} }],
    ['with networks that nobody can read', setPod('[{')],
    ['that only call themselves launchers', { ...launcher(`[${element(BLUE)}]`), owners: [] }],
  ])('%s pass untouched', async (_, object) => {
    expect(await mutate(makeWorld(), object)).toEqual({});
  });
});

it('when the API server cannot be asked, the pod is refused for now', async () => {
  const world = makeWorld({ known: undefined, failure: new KnownError('apiUnreachable', 'connection refused') });
  expect((await mutate(world, launcher(`[${element(BLUE)}]`))).refusal).toEqual({
    reason: 'ServiceUnavailable',
    message: 'the addresses of the pod cannot be looked up now: connection refused; try again',
    retryAfterSeconds: 1,
  });
});
