// An installation as the API shows it: the embedded cluster runs agents, but has no workloads of its own accord.
import type { ResourceDefinition } from '../../embedded/api/resource-registry.ts';
import type { World } from '../harness.ts';

const builtin = { namespaced: true, statusSubresource: true, builtin: true } as const;

const RESOURCES: readonly ResourceDefinition[] = [
  { ...builtin, group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' },
  { ...builtin, group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet' },
];

type Cluster = Pick<World, 'cluster'>;

const labelsOf = (component: string) => ({
  'app.kubernetes.io/name': 'dynamic-networks',
  'app.kubernetes.io/component': component,
});

const install = (
  { cluster }: Cluster,
  plural: string,
  kind: string,
  component: string,
  spec: object,
  status: object,
) => {
  for (const resource of RESOURCES) cluster.api.register(resource);
  const name = `dynamic-networks-${component}`;
  cluster.objects.create(plural, {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'dynamic-networks', labels: labelsOf(component) },
    spec: { ...spec },
    status: { ...status },
  });
};

const template = (component: string, args: readonly string[]) => ({
  metadata: { labels: labelsOf(component) },
  spec: { containers: [{ name: component, image: 'localhost/dynamic-networks:0.1.0', args: [component, ...args] }] },
});

export const installController = (world: Cluster, args: readonly string[]): void =>
  install(
    world,
    'deployments',
    'Deployment',
    'controller',
    { replicas: 2, template: template('controller', args) },
    { readyReplicas: 2 },
  );

export const installAgents = (world: Cluster, counts = { desiredNumberScheduled: 1, numberReady: 1 }): void =>
  install(world, 'daemonsets', 'DaemonSet', 'agent', { template: template('agent', []) }, counts);
