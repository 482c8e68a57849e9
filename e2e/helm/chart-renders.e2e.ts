// Helm and kustomize install the same objects, whatever gates are on; and Helm refuses values that make no sense.
import { mkdir, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { gateFolders } from '../../scripts/chart/gate-folders.ts';
import { type Gate, gateNames } from '../../src/config/feature-gates.ts';
import { canBuild } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { argsOf, makeKubectl } from '../target.ts';
import { comparableObjects, type KubeObject } from './comparable-objects.ts';
import { buildDeadlineMs, type Helm, makeHelm } from './helm.ts';

const target = inject('target');
const kubectl = makeKubectl(target);
const deploy = resolve(import.meta.dirname, '..', '..', 'deploy');
const overlays = resolve(import.meta.dirname, '..', 'artifacts', 'rendered');

let helm: Helm;
beforeAll(async () => {
  if (canBuild) helm = await makeHelm(target.kubeconfigPath);
}, buildDeadlineMs);

const kustomize = async (dir: string): Promise<readonly KubeObject[]> =>
  loadAll(await kubectl.run([...argsOf(documented.kustomize), dir])).filter(
    (document): document is KubeObject => document !== null,
  );

const withGates = async (gates: readonly Gate[]): Promise<string> => {
  const dir = resolve(overlays, ['gates', ...gates].join('-').toLowerCase());
  await mkdir(dir, { recursive: true });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(dir, deploy)],
    components: gates.map((gate) => relative(dir, resolve(deploy, 'gates', gateFolders[gate]))),
  };
  await writeFile(resolve(dir, 'kustomization.yaml'), JSON.stringify(kustomization));
  return dir;
};

const gatesOn = (gates: readonly Gate[]): object => Object.fromEntries(gates.map((gate) => [gate, true]));

describe.skipIf(!canBuild)('Helm makes the objects of kustomize', () => {
  const situations: [string, readonly Gate[]][] = [
    ['as shipped', []],
    ...gateNames.map((gate): [string, readonly Gate[]] => [`with the gate ${gate}`, [gate]]),
    ['with every gate', gateNames],
  ];

  it.each(situations)('%s', async (_situation, gates) => {
    const [ours, theirs] = await Promise.all([
      helm.template(agentNamespace, { featureGates: gatesOn(gates) }),
      kustomize(await withGates(gates)),
    ]);
    const wanted = comparableObjects(theirs);
    expect(Object.keys(wanted).length).toBeGreaterThan(12);
    expect(comparableObjects(ours)).toEqual(wanted);
  });

  it('and its monitoring', async () => {
    const [all, without, theirs] = await Promise.all([
      helm.template(agentNamespace, { monitoring: { podMonitors: true, alerts: true } }),
      helm.template(agentNamespace, {}),
      kustomize(resolve(deploy, 'monitoring')),
    ]);
    const rest = Object.keys(comparableObjects(without));
    const ours = Object.entries(comparableObjects(all)).filter(([name]) => !rest.includes(name));
    expect(theirs.length).toBeGreaterThan(3);
    expect(Object.fromEntries(ours)).toEqual(comparableObjects(theirs));
  });

  it('in a namespace of any name, and nothing is left of ours', async () => {
    const objects = await helm.template('elsewhere', { featureGates: gatesOn(gateNames) });
    const places = new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
    expect([...places].toSorted()).toEqual(['', 'elsewhere']);
    expect(JSON.stringify(objects)).not.toMatch(/"namespace":"dynamic-networks"|serviceaccount:dynamic-networks:/);
  });
});

describe.skipIf(!canBuild)('Helm refuses', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  it.each([
    ['a value that there is not', { agents: {} }, "'agents' not allowed"],
    ['a gate that there is not', { featureGates: { HotplugNics: true } }, "'HotplugNics' not allowed"],
    ['a gate that is no boolean', { featureGates: { HotplugNICs: 'yes' } }, '/featureGates/HotplugNICs'],
    ['a digest that is none', { image: { digest: digest.slice(0, -1) } }, '/image/digest'],
    ['a pull policy that there is not', { image: { pullPolicy: 'Sometimes' } }, '/image/pullPolicy'],
    ['no replica', { controller: { replicas: 0 } }, '/controller/replicas'],
    ['a setting that there is not', { agent: { settings: { checkIntervall: '5s' } } }, "'checkIntervall' not allowed"],
    ['a duration without a unit', { agent: { settings: { checkInterval: 5 } } }, '/agent/settings/checkInterval'],
    ['a duration that is none', { agent: { settings: { retryMax: 'long' } } }, '/agent/settings/retryMax'],
    ['a choice that there is not', { agent: { settings: { namespaceIsolation: true } } }, 'namespaceIsolation'],
    ['a number out of range', { controller: { settings: { concurrency: 100 } } }, '/controller/settings/concurrency'],
  ])('%s, and says where', async (_situation, values, complaint) => {
    const { exitCode, stderr } = await helm.tryTemplate(agentNamespace, values);
    expect(stderr).toContain(complaint);
    expect(stderr).toContain("don't meet the specifications of the schema");
    expect(exitCode).toBe(1);
  });

  it.each([
    ['an image by digest', { image: { digest } }, `@${digest}`],
    ['a setting', { agent: { settings: { checkInterval: 0, concurrency: 4 } } }, 'concurrency: 4'],
    ['tolerations', { agent: { tolerations: [{ key: 'of-mine', operator: 'Exists' }] } }, 'of-mine'],
    ['a priority class', { controller: { priorityClassName: 'mine' } }, '"priorityClassName":"mine"'],
  ])('but takes %s', async (_situation, values, part) => {
    expect(JSON.stringify(await helm.template(agentNamespace, values))).toContain(part);
  });
});
