// README, "Uninstall" by hand and "Install", as they stand there: everything goes, from the nodes too, and comes back as somebody
// makes it from a clone, without what the suite's own installation changes.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { shellQuote } from '../cluster/shell-quote.ts';
import { canBuild, withNamespace } from '../fixture.ts';
import { agentDaemonSet, agentNamespace, configureAgents, reinstallAgent, waitForAgents } from '../install-agent.ts';
import { expectNothingInstalled, installedObjects, removeGates } from '../installed-objects.ts';
import { bridgeNetwork, type Network, nodeNetwork } from '../networks.ts';
import { commandPrefix } from '../node-exec.ts';
import { makePerson, type Person } from '../person.ts';
import type { PodRef } from '../pods.ts';

const story = withNamespace('by-hand', 50);
const { kubectl } = story;
const target = inject('target');
const { nodeNames } = target;

let person: Person;
let blue: Network;
let pod: PodRef;

/** Only the settings in use, which are not those of deploy/, as where they were changed since: others that there were are in the way. */
const removeOtherSettings = async (): Promise<void> => {
  const inNamespace = (...args: string[]) => kubectl.run(['-n', agentNamespace, ...args]);
  const path = 'jsonpath={.spec.template.spec.volumes[*].configMap.name}';
  const inUse = await inNamespace('get', `daemonset/${agentDaemonSet}`, '-o', path);
  const all = (await inNamespace('get', 'configmaps', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
  const others = all.filter((name) => name.startsWith(`${agentDaemonSet}-`) && name !== inUse);
  expect(all).toContain(inUse);
  if (others.length > 0) await inNamespace('delete', 'configmap', ...others);
};

/** What the agent keeps on a node. */
const onNode = (node: string) =>
  story
    .host(node)
    .run(['sh', '-c', 'ls -d /var/lib/dynamic-networks /etc/cni/multus/net.d/dynamic-networks-* || true']);
const onEveryNode = () => Promise.all(nodeNames.map(async (node) => (await onNode(node)).split('\n').filter(Boolean)));

/** On this machine it is that of a node. */
const useCtrOf = async (node: string): Promise<void> => {
  const file = join(person.home, 'ctr');
  const prefix = (await commandPrefix(target, node)).map(shellQuote).join(' ');
  await writeFile(file, `#!/bin/sh\nexec ${prefix} ctr "$@"\n`);
  await chmod(file, 0o755);
};

const [, builtImage = ''] = / -t (\S+)/.exec(documented.buildImage) ?? [];
const removeBuiltImage = (node: string): Promise<string> =>
  story.host(node).run(['sh', '-c', 'ctr -n k8s.io images remove "$1" || true', 'sh', builtImage]);

const bringImage = async (): Promise<void> => {
  await person.types('npm run image');
  await person.types(documented.buildImage);
  for (const node of nodeNames) {
    await useCtrOf(node);
    // One of an earlier run, if there is.
    await removeBuiltImage(node);
    await person.types(documented.importImage);
  }
};

const installedImage = (): Promise<string> => {
  const path = 'jsonpath={.spec.template.spec.containers[*].image}';
  return kubectl.run(['-n', agentNamespace, 'get', `daemonset/${agentDaemonSet}`, '-o', path]);
};

const plugPod = async (): Promise<void> => {
  blue = await story.network(bridgeNetwork, 'blue');
  await story.network(nodeNetwork, 'node-network');
  pod = await story.startPod('web', { networks: 'blue@made0' });
  await story.annotate(pod, 'blue@made0,blue@hot0');
  await story.expectInterfaces(pod, { made0: blue, hot0: blue });
};

describe.skipIf(!canBuild)('by hand', () => {
  beforeAll(async () => {
    person = await makePerson({
      kubectl,
      namespace: story.namespace,
      env: { DOCKER_HOST: process.env['DOCKER_HOST'] },
    });
    await removeGates(kubectl);
    await removeOtherSettings();
    await Promise.all([plugPod(), bringImage()]);
  });
  afterAll(async () => {
    await reinstallAgent(kubectl);
    if ((await installedImage()) !== builtImage) await Promise.all(nodeNames.map(removeBuiltImage));
    await person.leaves();
  });

  it('everything is removed, from the nodes too, and what came with a pod stays', async () => {
    await story.annotate(pod, 'blue@made0');
    await story.expectInterfaces(pod, { made0: blue });
    const links = await story.links(pod);
    expect((await installedObjects(kubectl)).length).toBeGreaterThan(12);

    await person.types(documented.remove);
    await expectNothingInstalled(kubectl);
    const kept = ['/etc/cni/multus/net.d/dynamic-networks-node-network.conf', '/var/lib/dynamic-networks'];
    expect(await onEveryNode()).toEqual(nodeNames.map(() => kept));

    // The second time there is nothing, as for somebody who never had a network of the nodes.
    for (const _time of ['first', 'second']) {
      await Promise.all(nodeNames.map((node) => story.host(node).run(['sh', '-c', documented.removeFromNode])));
    }
    expect(await onEveryNode()).toEqual(nodeNames.map(() => []));
    expect(await story.links(pod)).toEqual(links);
  });

  it('it is installed from a clone, and works', async () => {
    await person.types(documented.install);
    await waitForAgents(kubectl);
    expect(await installedImage()).toBe(builtImage);

    await story.annotate(pod, 'blue@made0,blue@again0');
    await story.expectInterfaces(pod, { made0: blue, again0: blue });
  });

  it('its agents start with the code that was compiled when the image was made', async () => {
    await configureAgents(kubectl, 'NODE_DEBUG_NATIVE', 'COMPILE_CACHE');
    try {
      const log = ['-n', agentNamespace, 'logs', `daemonset/${agentDaemonSet}`, '--all-pods', '--prefix'];
      const lines = (await kubectl.run(log)).split('\n');
      expect(lines.filter((line) => line.includes('dynamic-networks.mjs was accepted'))).toHaveLength(nodeNames.length);
    } finally {
      await configureAgents(kubectl, 'NODE_DEBUG_NATIVE', undefined);
    }
  });
});
