import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ClaimsWorld } from './claims-world.ts';

let world: ClaimsWorld;
beforeAll(async () => {
  world = await ClaimsWorld.start();
});
afterEach(async () => await world.clean());
afterAll(async () => await world.stop());

const createSet = (
  name: string,
  replicas: number,
  labels: Record<string, string> = { 'dynamic-networks.io/persistent-ips': 'true' },
) =>
  world.objects.create('statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace: 'default', name },
    spec: {
      replicas,
      template: { metadata: { labels, annotations: { 'k8s.v1.cni.cncf.io/networks': 'sea@sea0' } }, spec: {} },
    },
  });

const scale = (name: string, replicas: number) =>
  world.objects.modify({ resource: 'statefulsets', namespace: 'default', name }, (draft) => {
    draft.spec = { ...draft.spec, replicas };
  });

it('pods of a StatefulSet have claims by their names, before they exist', async () => {
  world.network('sea', { subnets: '10.20.0.0/24' });
  const set = createSet('web', 2);
  expect([await world.allocated('web-0.sea0'), await world.allocated('web-1.sea0')].flat().sort()).toEqual([
    '10.20.0.2/24',
    '10.20.0.3/24',
  ]);
  expect(world.claim('web-0.sea0').metadata).toMatchObject({
    labels: { 'dynamic-networks.io/pod': 'web-0' },
    ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: set.metadata.uid }],
    finalizers: ['dynamic-networks.io/persistent-ips'],
  });
});

it('scaled down and up again, a pod finds its address; deleted meanwhile, the claim frees it', async () => {
  world.network('sea', { subnets: '10.20.0.0/24' });
  createSet('web', 2);
  const before = await world.allocated('web-1.sea0');
  scale('web', 1);
  await world.cluster.until(
    'it is no longer protected',
    () => world.claim('web-1.sea0').metadata.finalizers?.length !== 1,
  );
  scale('web', 2);
  await world.cluster.until('it is protected again', () => world.claim('web-1.sea0').metadata.finalizers?.length === 1);
  expect(world.ips('web-1.sea0')).toEqual(before);
  scale('web', 1);
  await world.cluster.until(
    'it is no longer protected',
    () => world.claim('web-1.sea0').metadata.finalizers?.length !== 1,
  );
  world.remove('ipamclaims', 'web-1.sea0');
  await world.gone('web-1.sea0');
  createSet('db', 1);
  expect(await world.allocated('db-0.sea0')).toEqual(before);
});

it('claims go with the set', async () => {
  world.network('sea', { subnets: '10.20.0.0/24' });
  createSet('web', 1);
  await world.allocated('web-0.sea0');
  world.remove('statefulsets', 'web');
  await world.gone('web-0.sea0');
});

it('a set that did not opt in has none', async () => {
  world.network('sea', { subnets: '10.20.0.0/24' });
  createSet('plain', 1, {});
  createSet('web', 1);
  await world.allocated('web-0.sea0');
  expect(world.claimNames()).toEqual(['web-0.sea0']);
});
