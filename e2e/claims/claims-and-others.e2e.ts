// Claims among people and programs that do other things with them: StatefulSets, an allocator that is not ours, broken networks,
// edits by hand, deletions under a running machine, claims of strangers; and what users see of it all.

import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { runCommand } from '../cluster/run-command.ts';
import { controllers } from '../controllers.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, podDeadlineMs, withNamespace } from '../fixture.ts';
import { readMetrics } from '../pod-metrics.ts';
import { networksAnnotation, type Pod, type PodRef, podSpec, refOf } from '../pods.ts';
import { argsOf } from '../target.ts';
import { withVirtualMachines } from '../vm/virtual-machines.ts';
import { podInterfaceName } from '../vm/vm-objects.ts';
import { turnClaimsOff, turnClaimsOn } from './claims-gate.ts';
import { claimsOf } from './claims-story.ts';

const story = withNamespace('others', 191);
const { kubectl, namespace } = story;

beforeAll(async () => {
  if (canHaveVirtualMachines) await turnClaimsOn(kubectl);
}, 300_000);
afterAll(async () => {
  if (canHaveVirtualMachines) await turnClaimsOff(kubectl);
}, 300_000);

const machines = withVirtualMachines(story);
const claims = claimsOf(story, () => machines.api());

/** A machine that is only defined has its claims already: what is about claims alone needs no pod. */
const define = (name: string, networkName: string) =>
  machines.create(name, { isHalted: true, networks: [{ name: 'net', networkName }] });

const setIps = (name: string, ips: readonly string[]) =>
  machines.api().mergePatch(`${claims.path(name)}/status`, { status: { ips } });

const runningPod = (name: string, exceptUid = ''): Promise<PodRef> =>
  explained(
    `pod ${name} to run`,
    async () => {
      const pod = await machines.api().get<Pod>(`/api/v1/namespaces/${namespace}/pods/${name}`);
      const isNew = pod.metadata.uid !== exceptUid && pod.metadata.deletionTimestamp === undefined;
      if (isNew && pod.status.phase === 'Running') return refOf(pod);
      throw new Error(`it is ${pod.metadata.uid} in phase ${pod.status.phase}`);
    },
    podDeadlineMs,
  );

const program = resolve(import.meta.dirname, '../../src/main-dnet.ts');

const dnet = async (...args: string[]): Promise<{ readonly items: readonly Record<string, unknown>[] }> => {
  const { kubeconfigPath } = inject('target');
  return JSON.parse(await runCommand([process.execPath, program, ...args, '--kubeconfig', kubeconfigPath]));
};

/** Both replicas know the pools; the one that knows more is ahead. */
const poolMetric = async (metric: string, network: string): Promise<number> => {
  const pages = await Promise.all((await controllers(kubectl)).map((replica) => readMetrics(kubectl, replica)));
  const sample = new RegExp(`^dynamic_networks_controller_${metric}\\{[^}]*network="${network}"[^}]*\\} (\\d+)$`, 'gm');
  return Math.max(...pages.flatMap((page) => [...page.matchAll(sample)].map(([, value]) => Number(value))));
};

describe.skipIf(!canHaveVirtualMachines).concurrent('claims', () => {
  it('of a StatefulSet are by the names of its pods, and a pod that comes back has its addresses', async () => {
    await claims.network('stable', { subnets: '10.191.1.0/29' });
    const labels = { app: 'web', 'dynamic-networks.io/persistent-ips': 'true' };
    const networks = JSON.stringify([{ name: 'stable', interface: 'blue0' }]);
    await kubectl.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web', namespace },
      spec: {
        replicas: 2,
        serviceName: 'web',
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels, annotations: { [networksAnnotation]: networks } },
          spec: podSpec(story.podImage, { node: story.node }),
        },
      },
    });
    const [first, second] = await Promise.all([claims.allocated('web-0.blue0'), claims.allocated('web-1.blue0')]);
    expect([...first, ...second].toSorted()).toEqual(['10.191.1.2/29', '10.191.1.3/29']);
    const pod = await runningPod('web-0');
    await claims.expectInPod(pod, 'web-0', first, 'blue0');
    await story.deletePod(pod);
    await claims.expectInPod(await runningPod('web-0', pod.uid), 'web-0', first, 'blue0');
    await kubectl.run(['-n', namespace, 'delete', 'statefulset', 'web', '--timeout=60s']);
    await Promise.all([claims.gone('web-0.blue0'), claims.gone('web-1.blue0')]);
  }, 180_000);

  it('that another allocator fills are passed to the pod by reference, and left as they are', async () => {
    await claims.network('foreign', { ipam: {} });
    await claims.network('ours', { subnets: '10.191.2.0/29' });
    await machines.start('guest', { node: story.node, networks: [{ name: 'net', networkName: 'foreign' }] });
    const elementOf = async (iface: string) => {
      const pod = await story.getPod(await machines.launcher('guest'));
      const elements: Record<string, unknown>[] = JSON.parse(pod.metadata.annotations?.[networksAnnotation] ?? '[]');
      return elements.find((element) => element['interface'] === iface);
    };
    const passed = { name: 'foreign', namespace, 'ipam-claim-reference': 'guest.net' };
    expect(await elementOf(podInterfaceName('net'))).toEqual({ ...passed, interface: podInterfaceName('net') });

    // What OVN-Kubernetes does: the addresses that it chose are in the status, and nothing else is.
    await setIps('guest.net', ['10.191.77.5/24']);
    const filled = (await claims.getClaim('guest.net')).status;
    // The controller has worked on the same machine since then, and virt-controller has written the annotation anew.
    await machines.plug('guest', { name: 'late', networkName: 'ours' });
    await claims.expectInPod(await machines.launcher('guest'), 'late', await claims.allocated('guest.late'));
    expect((await claims.getClaim('guest.net')).status).toEqual(filled);
    expect(await elementOf(podInterfaceName('net'))).toEqual({ ...passed, interface: podInterfaceName('net') });
    await kubectl.run(['-n', namespace, 'delete', 'virtualmachine', 'guest', '--timeout=120s']);
    await claims.gone('guest.net');
  }, 180_000);

  it('on a broken network say what is wrong with it, and are served when it is mended', async () => {
    await claims.network('broken', { subnets: '10.191.3.0/33' });
    await define('on-broken', 'broken');
    expect(await claims.refused('on-broken.net', 'InvalidNetwork')).toContain('"10.191.3.0/33"');
    expect(await claims.expectEvent('on-broken', 'InvalidNetwork')).toContain('subnets of NetworkAttachmentDefinition');
    await claims.network('broken', { subnets: '10.191.3.0/29' });
    expect(await claims.allocated('on-broken.net')).toEqual(['10.191.3.2/29']);
  }, 120_000);

  it('on a network that overlaps an older one get nothing, and the older one goes on', async () => {
    await claims.network('older', { subnets: '10.191.4.0/28' });
    await define('on-older', 'older');
    const ips = await claims.allocated('on-older.net');
    // Ages are told in seconds; of two of one second the name decides, and this one comes after.
    await claims.network('overlapping', { subnets: '10.191.4.8/29' });
    await define('on-overlapping', 'overlapping');
    const message = await claims.refused('on-overlapping.net', 'InvalidNetwork');
    expect(message).toContain(`it overlaps 10.191.4.0/28 of ${namespace}/older`);
    expect(await claims.allocated('on-older.net')).toEqual(ips);
    await define('on-older-too', 'older');
    expect(await claims.allocated('on-older-too.net')).toEqual(['10.191.4.3/28']);
  }, 120_000);

  it("that somebody edits to another's address get back their own, and the other keeps its", async () => {
    await claims.network('edited', { subnets: '10.191.5.0/29' });
    await define('victim', 'edited');
    const victims = await claims.allocated('victim.net');
    await define('edited', 'edited');
    const own = await claims.allocated('edited.net');
    await setIps('edited.net', victims);
    expect(await claims.expectEvent('edited', 'ClaimEdited')).toContain('belongs to IPAMClaim');
    await explained(
      'the edit to be undone',
      async () => {
        const ips = (await claims.getClaim('edited.net')).status?.ips;
        return JSON.stringify(ips) === JSON.stringify(own) ? true : undefined;
      },
      podDeadlineMs,
    );
    expect((await claims.getClaim('victim.net')).status?.ips).toEqual(victims);
  }, 120_000);

  it('that are deleted under a running machine keep their addresses, by force too', async () => {
    await claims.network('deleted', { subnets: '10.191.6.0/29' });
    await machines.start('running', { node: story.node, networks: [{ name: 'net', networkName: 'deleted' }] });
    const ips = await claims.allocated('running.net');
    const { uid } = (await claims.getClaim('running.net')).metadata;
    await kubectl.run([...argsOf(documented.deleteClaim), 'running.net', '-n', namespace, '--wait=false']);
    await claims.expectEvent('running', 'ClaimDeleted');
    expect(await claims.getClaim('running.net')).toMatchObject({ metadata: { uid }, status: { ips } });

    await machines.api().mergePatch(claims.path('running.net'), { metadata: { finalizers: [] } });
    const another = async () => {
      const claim = await claims.getClaim('running.net');
      return claim.metadata.uid === uid ? undefined : true;
    };
    await explained('a new claim in place of the old', another, podDeadlineMs);
    await define('greedy', 'deleted');
    expect(await claims.allocated('running.net')).toEqual(ips);
    expect(await claims.allocated('greedy.net')).not.toEqual(ips);
    await claims.expectInPod(await machines.launcher('running'), 'net', ips);
  }, 180_000);

  it('of strangers are not taken over', async () => {
    await claims.network('strange', { subnets: '10.191.7.0/29' });
    const spec = { network: claims.cniName('strange'), interface: '' };
    const theirs = await claims.create({ metadata: { name: 'refused.net', namespace }, spec });
    await define('refused', 'strange');
    expect(await claims.expectEvent('refused', 'ClaimRefused')).toContain('is not taken over');
    const { metadata } = await claims.getClaim('refused.net');
    expect([metadata.uid, metadata.ownerReferences, metadata.finalizers]).toEqual([
      theirs.metadata.uid,
      undefined,
      undefined,
    ]);
    await machines.api().delete(claims.path('refused.net'));
    await claims.allocated('refused.net');
  }, 120_000);

  it('and pools are what the command and the metrics tell', async () => {
    await claims.network('told', { subnets: '10.191.8.0/30' });
    await define('told-a', 'told');
    const ips = await claims.allocated('told-a.net');
    await define('told-b', 'told');
    await claims.refused('told-b.net', 'PoolExhausted');

    const { items } = await dnet('claims', '-n', namespace, '-o', 'json');
    const network = claims.cniName('told');
    const owner = 'VirtualMachine/told-a';
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'told-a.net', network, ips, owner, allocated: true, deleting: false }),
    );
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'told-b.net', allocated: false, reason: 'PoolExhausted' }),
    );
    const pools = await dnet('pools', '-o', 'json');
    const full = { network, family: 'IPv4', size: '1', used: '1', free: '0', usedPercent: 100, claims: 2, waiting: 1 };
    expect(pools.items).toContainEqual(expect.objectContaining(full));
    expect([
      await poolMetric('ip_pool_size', network),
      await poolMetric('ip_pool_used', network),
      await poolMetric('ip_claims_waiting', network),
    ]).toEqual([1, 1, 1]);
    expect(await poolMetric('ip_allocation_failures_total', network)).toBeGreaterThan(0);
  }, 120_000);
});
