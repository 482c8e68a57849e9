import { describe, expect, it } from 'vitest';
import { networkName } from '../model/keys.ts';
import { definitionPath, viewNetworkDefinition } from './network-definition-view.ts';

const metadata = { namespace: 'shop', name: 'blue', resourceVersion: '7' };

describe('viewNetworkDefinition', () => {
  it.each([
    [
      'a definition with its config',
      { metadata, spec: { config: '{}' } },
      { network: 'shop/blue', resourceVersion: '7', config: '{}' },
    ],
    [
      'a definition whose config is a file on the node',
      { metadata },
      { network: 'shop/blue', resourceVersion: '7', config: '' },
    ],
    ['an empty spec', { metadata, spec: {} }, { network: 'shop/blue', resourceVersion: '7', config: '' }],
    [
      'the resource of a device plugin',
      { metadata: { ...metadata, annotations: { 'k8s.v1.cni.cncf.io/resourceName': 'intel.com/vf' } }, spec: {} },
      { network: 'shop/blue', resourceVersion: '7', config: '', resourceName: 'intel.com/vf' },
    ],
    [
      'an empty resource name, which is none',
      { metadata: { ...metadata, annotations: { 'k8s.v1.cni.cncf.io/resourceName': '' } } },
      { network: 'shop/blue', resourceVersion: '7', config: '' },
    ],
  ])('reads %s', (_, object, expected) => {
    expect(viewNetworkDefinition(object)).toEqual(expected);
  });

  it.each([
    ['nothing', undefined],
    ['an object without metadata', { spec: { config: '{}' } }],
    ['a name that is missing', { metadata: { namespace: 'shop', resourceVersion: '7' } }],
    ['a config that is an object', { metadata, spec: { config: {} } }],
    ['a version that is a number', { metadata: { ...metadata, resourceVersion: 7 } }],
  ])('ignores %s', (_, object) => {
    expect(viewNetworkDefinition(object)).toBeUndefined();
  });
});

describe('definitionPath', () => {
  it('is the path of the definition', () => {
    expect(definitionPath(networkName('shop', 'blue'))).toBe(
      '/apis/k8s.cni.cncf.io/v1/namespaces/shop/network-attachment-definitions/blue',
    );
  });

  it('lets no name leave its place in the path', () => {
    expect(definitionPath(networkName('..', 'a?b#c'))).toContain('/network-attachment-definitions/a%3Fb%23c');
  });
});
