// What deploy/monitoring has for the Prometheus operator, by that operator's own definitions, which are there for this file only,
// unless the cluster has the operator.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { ensureModuleFiles } from '../cluster/module-files.ts';
import { waitForCrds } from '../established-crds.ts';
import { canBuild } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { makePerson, type Person } from '../person.ts';
import { makeKubectl } from '../target.ts';

const kubectl = makeKubectl(inject('target'));
const kinds = ['podmonitors', 'prometheusrules'];
const crds = kinds.map((kind) => `${kind}.monitoring.coreos.com`);

let person: Person;
/** On somebody's own cluster, which has the operator. */
let areTheirs = false;

const namesOf = async (kind: string): Promise<readonly string[]> => {
  const said = await kubectl.run(['-n', agentNamespace, 'get', kind, '-o', 'jsonpath={.items[*].metadata.name}']);
  return said.split(' ').filter((name) => name !== '');
};

describe.skipIf(!canBuild)('the Prometheus operator', () => {
  beforeAll(async () => {
    person = await makePerson({ kubectl, namespace: 'default' });
    areTheirs = (await kubectl.try(['get', 'crd', ...crds])).exitCode === 0;
    if (areTheirs) return;
    const dir = join(await ensureModuleFiles('prometheus-operator'), 'example', 'prometheus-operator-crd');
    const files = kinds.flatMap((kind) => ['-f', join(dir, `monitoring.coreos.com_${kind}.yaml`)]);
    await kubectl.run(['apply', '--server-side', ...files]);
    await waitForCrds(kubectl, crds);
  });
  afterAll(async () => {
    await person.leaves();
    // What was made of them goes with them.
    if (!areTheirs) await kubectl.run(['delete', 'crd', ...crds, '--ignore-not-found', '--timeout=60s']);
    else await kubectl.run(['-n', agentNamespace, 'delete', kinds.join(','), '--all']);
  });

  it('is asked for the monitors, which are not there yet', async () => {
    expect(await person.types(documented.getPodMonitors)).toBe('');
  });

  it('takes the monitors alone', async () => {
    await person.types(documented.applyPodMonitors);
    const names = await namesOf('podmonitors');
    expect(names).toEqual(['dynamic-networks-agent', 'dynamic-networks-controller']);
    const said = await person.types(documented.getPodMonitors);
    for (const name of names) expect(said).toContain(name);
    expect(await namesOf('prometheusrules')).toEqual([]);
  });

  it('takes all of it', async () => {
    // Strictly: a field that the definitions do not have is an error.
    await person.types(documented.applyMonitoring);
    expect(await namesOf('prometheusrules')).toEqual([
      'dynamic-networks-agent',
      'dynamic-networks-claims',
      'dynamic-networks-controller',
    ]);
  });
});
