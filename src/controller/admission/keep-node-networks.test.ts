import { describe, expect, it } from 'vitest';
import type { AdmissionRequest, AdmittedObject } from '../../model/admission.ts';
import { hashedName } from '../../vm/interface-names.ts';
import { bridged } from '../../vm/test-machines.ts';
import { makeKeepNodeNetworks } from './keep-node-networks.ts';

const KEY = 'k8s.v1.cni.cncf.io/networks';
const [LAN, BLUE, RED] = ['lan', 'blue', 'red'].map(hashedName) as [string, string, string];
const lan = { interface: LAN, name: 'node-network', namespace: 'ns1', mac: '02:00:00:00:00:01' };
const blue = { interface: BLUE, name: 'blue', namespace: 'ns1' };
const red = { interface: RED, name: 'red', namespace: 'ns1' };

const pod = (networks: unknown, more: Partial<AdmittedObject> = {}): AdmittedObject => ({
  name: 'virt-launcher-vm-a-x',
  generateName: '',
  labels: { 'kubevirt.io': 'virt-launcher' },
  annotations: {
    'kubevirt.io/domain': 'vm-a',
    ...(networks !== undefined && { [KEY]: typeof networks === 'string' ? networks : JSON.stringify(networks) }),
  },
  owners: [{ kind: 'VirtualMachineInstance', name: 'vm-a', uid: 'vmi-uid', isController: true }],
  ...more,
});

const decide = (before: AdmittedObject, after: AdmittedObject) => {
  const request: AdmissionRequest = {
    ...{ uid: 'u1', operation: 'UPDATE', namespace: 'ns1', object: after, oldObject: before },
    user: { username: 'virt-controller', groups: [], extra: {} },
  };
  const keep = makeKeepNodeNetworks({
    definition: 'node-network',
    findSpec: ({ key, uid }) => (key === 'ns1/vm-a' && uid === 'vmi-uid' ? bridged('blue', 'red') : undefined),
  });
  return keep(request);
};

const patched = (elements: readonly object[]) => ({
  patch: [{ op: 'add', path: '/metadata/annotations/k8s.v1.cni.cncf.io~1networks', value: expect.any(String) }],
  elements,
});
const readable = async (before: AdmittedObject, after: AdmittedObject) => {
  const decision = await decide(before, after);
  const [operation] = decision.patch ?? [];
  const value = operation !== undefined && 'value' in operation ? String(operation.value) : '[]';
  return { ...decision, elements: JSON.parse(value) };
};

describe('the node’s network stays in a launcher pod', () => {
  it.each<[string, unknown, readonly object[]]>([
    ['another network is plugged', [blue, red], [blue, red, lan]],
    ['another network is unplugged', [], [lan]],
    ['all networks are taken away', '', [lan]],
    ['the annotation itself is taken away', undefined, [lan]],
  ])('when %s', async (_, after, elements) => {
    expect(await readable(pod([lan, blue]), pod(after))).toEqual(patched(elements));
  });

  it('as it is, with what others put into it', async () => {
    const claimed = { ...lan, 'ipam-claim-reference': 'vm-a.lan' };
    expect(await readable(pod([claimed]), pod([blue]))).toEqual(patched([blue, claimed]));
  });
});

describe('nothing is changed', () => {
  it.each<[string, AdmittedObject, AdmittedObject]>([
    ['when it is there still', pod([lan]), pod([lan, blue])],
    ['when it was not there before', pod([blue]), pod([blue, red])],
    ['when the pod had no networks', pod(undefined), pod([blue])],
    ['of a network of the machine’s spec that is on the same definition', pod([{ ...lan, interface: BLUE }]), pod([])],
    ['of an interface that no machine has', pod([{ ...lan, interface: 'net1' }]), pod([])],
    ['when the old annotation is no list of elements', pod('node-network'), pod([blue])],
    ['when the new one is none: others refuse or report it', pod([lan]), pod('{')],
    ['of a pod that is no machine’s', pod([lan], { owners: [] }), pod([], { owners: [] })],
    ['when there is no annotation left to put it beside', pod([lan]), pod([], { annotations: {} })],
  ])('%s', async (_, before, after) => {
    expect(await decide(before, after)).toEqual({});
  });

  it('of a machine that is another by now', async () => {
    const owners = [{ kind: 'VirtualMachineInstance', name: 'vm-a', uid: 'older', isController: true }];
    expect(await decide(pod([lan], { owners }), pod([], { owners }))).toEqual({});
  });
});
