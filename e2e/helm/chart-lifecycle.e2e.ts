// An installation by Helm from beginning to end: what kustomize installed is taken over, upgraded, rolled back and removed, and
// installed afresh. Through all of it a running pod keeps the very interfaces that it has.
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { withDnet } from '../cli/dnet.ts';
import { explained } from '../expectations.ts';
import { canBuild, withNamespace } from '../fixture.ts';
import {
  agentDaemonSet,
  agentNamespace,
  agentSelector,
  controllerDeployment,
  reinstallAgent,
  shippedImage,
  testSettings,
  waitForAgents,
} from '../install-agent.ts';
import { installedObjects, removeGates } from '../installed-objects.ts';
import { metricsMissing } from '../monitoring/metric-names.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { makePerson, type Person } from '../person.ts';
import type { PodLink } from '../pod-links.ts';
import type { PodRef } from '../pods.ts';
import { buildDeadlineMs, chartDir, type Helm, makeHelm, release } from './helm.ts';

const story = withNamespace('helm', 97);
const { kubectl } = story;
const target = inject('target');
const { dnet } = withDnet(story.namespace);

const gateRole = 'clusterrole/dynamic-networks-controller-vm-persistent-ips';
const waiting = ['-n', agentNamespace, '--wait', '--timeout=120s'];

let helm: Helm;
let person: Person;
let image: { repository: string; tag: string };
let blue: Network;
let green: Network;
let pod: PodRef;
let links: readonly PodLink[];

/** The chart's own, which the documented command installs. */
const documentedImage = `${shippedImage}:${packageJson.version}`;
const otherTag = () => `${image.tag}-again`;
/** Of the same image, on the nodes for this file only. */
const moreNames = () =>
  [`${image.repository}:${otherTag()}`, documentedImage].filter((name) => name !== `${image.repository}:${image.tag}`);
const values = (changes: { tag?: string; featureGates?: object } = {}): object => ({
  image: { ...image, pullPolicy: 'Never', ...(changes.tag !== undefined && { tag: changes.tag }) },
  agent: { settings: testSettings },
  ...(changes.featureGates !== undefined && { featureGates: changes.featureGates }),
});

const inAgentNamespace = (...args: string[]): Promise<string> => kubectl.run(['-n', agentNamespace, ...args]);
const read = (object: string, path: string) => inAgentNamespace('get', object, '-o', `jsonpath={${path}}`);
const imagePath = '.spec.template.spec.containers[0].image';
const hasGateRole = async () => (await kubectl.try(['get', gateRole])).exitCode === 0;
const tagOn = (...args: string[]) =>
  Promise.all(target.nodeNames.map((node) => story.host(node).ctr('images', ...args)));

/** Helm itself is content with one agent less than there are nodes: as many may be away while they are replaced. */
const helmAndAgents = async (args: readonly string[], changed?: object): Promise<string> => {
  const said = await helm.run([...args, ...waiting], changed);
  await waitForAgents(kubectl);
  return said;
};

/** Same numbers, so the same interfaces; and the agent that is there now still does what the pod asks for. */
const expectKept = async (wanted: string, networks: Readonly<Record<string, Network>>) => {
  expect(await story.links(pod)).toEqual(links);
  await story.annotate(pod, wanted);
  links = await story.expectInterfaces(pod, networks).then(() => story.links(pod));
};

describe.skipIf(!canBuild)('an installation by Helm', () => {
  beforeAll(async () => {
    helm = await makeHelm(target.kubeconfigPath);
    person = await makePerson({ kubectl, namespace: story.namespace, path: [helm.binDir] });
    await removeGates(kubectl);
    const [repository = '', tag = ''] = (await read(`daemonset/${agentDaemonSet}`, imagePath)).split(/:(?=[^:/]+$)/);
    image = { repository, tag };
    for (const name of moreNames()) await tagOn('tag', '--force', `${repository}:${tag}`, name);
    blue = await story.network(bridgeNetwork, 'blue');
    green = await story.network(bridgeNetwork, 'green');
    pod = await story.startPod('web', { networks: 'blue@made0' });
    await story.annotate(pod, 'blue@made0,blue@hot0');
    await story.expectInterfaces(pod, { made0: blue, hot0: blue });
    links = await story.links(pod);
  }, buildDeadlineMs);
  afterAll(async () => {
    await helm.run(['uninstall', release, '--ignore-not-found', ...waiting]);
    await reinstallAgent(kubectl);
    await tagOn('remove', ...moreNames());
    await person.leaves();
  });

  it('takes over what kustomize installed', async () => {
    const [, ...args] = documented.helmTakeOver.split(' ');
    const said = await helmAndAgents([...args, release, chartDir, '--values', '-'], values());
    expect(said).toContain('STATUS: deployed');
    await expectKept('blue@made0,blue@hot0,green@hot1', { made0: blue, hot0: blue, hot1: green });
  });

  it('is upgraded to another image and with a gate', async () => {
    await kubectl.run(['apply', '-k', resolve(chartDir, '..', 'crds')]);
    const changed = values({ tag: otherTag(), featureGates: { VMPersistentIPs: true } });
    expect(await hasGateRole()).toBe(false);
    await helmAndAgents(['upgrade', release, chartDir, '--values', '-'], changed);
    expect(await read(`daemonset/${agentDaemonSet}`, imagePath)).toBe(`${image.repository}:${otherTag()}`);
    expect(await read(`deployment/${controllerDeployment}`, '.spec.template.spec.containers[0].args')).toContain(
      '--feature-gates=VMPersistentIPs=true',
    );
    expect(await hasGateRole()).toBe(true);
    expect(await metricsMissing(kubectl, 'claims-alerts.yaml')).toEqual([]);
    await expectKept('blue@made0,blue@hot0', { made0: blue, hot0: blue });
  });

  it('is rolled back', async () => {
    await helmAndAgents(['rollback', release, '1']);
    expect(await read(`daemonset/${agentDaemonSet}`, imagePath)).toBe(`${image.repository}:${image.tag}`);
    expect(await read(`deployment/${controllerDeployment}`, '.spec.template.spec.containers[0].args')).not.toContain(
      'feature-gates',
    );
    expect(await hasGateRole()).toBe(false);
    await expectKept('blue@made0,blue@hot0,green@hot1', { made0: blue, hot0: blue, hot1: green });
  });

  it('is removed with everything that is its own, and leaves the pod alone', async () => {
    expect((await installedObjects(kubectl)).length).toBeGreaterThan(12);
    await helm.run(['uninstall', release, ...waiting]);
    await explained(
      'nothing to be there',
      async () => {
        // What kustomize made of the settings is named after their content, so Helm never had it.
        const left = (await installedObjects(kubectl)).filter((name) => !/^configmap\/.*-[0-9a-z]{10}$/.test(name));
        expect(left).toEqual([]);
        return true;
      },
      60_000,
    );
    expect(await story.links(pod)).toEqual(links);
  });

  it('is installed into a namespace that has nothing yet, and goes on with what the pod has', async () => {
    await kubectl.run(['delete', 'namespace', agentNamespace, '--timeout=60s']);
    // As it is documented, so with the image that is the chart's own.
    await person.types(documented.createNamespace);
    await person.types(documented.labelNamespace);
    expect(await person.types(documented.helmInstall)).toContain('STATUS: deployed');
    await waitForAgents(kubectl);
    expect((await inAgentNamespace('get', 'pods', '-l', agentSelector, '-o', 'name')).trim().split('\n')).toHaveLength(
      target.nodeNames.length,
    );
    await expectKept('blue@made0,blue@hot2', { made0: blue, hot2: blue });
  });

  it('is removed by kubectl dnet as well, with what was hot-plugged and with the record that Helm has of it', async () => {
    expect(await helm.run(['list', '-n', agentNamespace, '--short'])).toBe(`${release}\n`);
    expect(await dnet('uninstall', '--yes')).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await story.links(pod)).map(({ ifname }) => ifname).toSorted()).toEqual(['eth0', 'made0']);
    await explained(
      'Helm to know of nothing',
      async () => {
        expect(await helm.run(['list', '-n', agentNamespace, '--short'])).toBe('');
        return true;
      },
      60_000,
    );
  });
});
