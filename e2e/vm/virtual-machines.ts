// Virtual machines for stories, on top of `withNamespace`: KubeVirt's real virt-controller, the agent, launcher pods that hold no
// guest, and virt-handler's part played. `withVirtualMachines` registers hooks: KubeVirt runs before the first test, and all
// machines are gone before the namespace's own hooks look for what is left over.
import { afterAll, beforeAll, inject } from 'vitest';
import { type ApiClient, connectApi } from '../api-client.ts';
import { ensureKubeVirt } from '../cluster/kubevirt.ts';
import { explained } from '../expectations.ts';
import { canHaveVirtualMachines, plugDeadlineMs, podDeadlineMs, type Story } from '../fixture.ts';
import type { Network } from '../networks.ts';
import { attachPlace } from '../place-of-target.ts';
import type { PodLink } from '../pod-links.ts';
import { type Pod, type PodRef, refOf } from '../pods.ts';
import { startVirtHandler, type VirtHandler, vmisPath } from './virt-handler.ts';
import {
  type InterfaceStatus,
  interfaceOf,
  type Migration,
  networkOf,
  podInterfaceName,
  type Vm,
  type Vmi,
  type VmNetwork,
  type VmOptions,
  vmManifest,
} from './vm-objects.ts';

/** The first run ever builds virt-controller. */
const kubevirtDeadlineMs = 20 * 60_000;

/** Name of the network in the machine -> network. */
export type WantedOfVm = Readonly<Record<string, Network>>;

export type VirtualMachines = ReturnType<typeof withVirtualMachines>;

export const withVirtualMachines = (story: Story) => {
  const { namespace } = story;
  const target = inject('target');
  const vmsPath = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`;
  const migrationsPath = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstancemigrations`;
  const podsPath = `/api/v1/namespaces/${namespace}/pods`;
  let api: ApiClient | undefined;
  let handler: VirtHandler | undefined;

  const getApi = (): ApiClient => {
    if (api === undefined) throw new Error('before the hooks of the story');
    return api;
  };
  const getVm = (name: string) => getApi().get<Vm>(`${vmsPath}/${name}`);
  const getVmi = (name: string) => getApi().get<Vmi>(`${vmisPath(namespace)}/${name}`);

  /** Pods of the present instance, the newest first. */
  const launchers = async (name: string): Promise<readonly Pod[]> => {
    const { metadata } = await getVmi(name);
    const { items } = await getApi().get<{ items: readonly (Pod & { metadata: { creationTimestamp: string } })[] }>(
      `${podsPath}?labelSelector=kubevirt.io/created-by=${metadata.uid}`,
    );
    return items.toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));
  };

  /** The pod in which the machine runs; during a migration the source. */
  const launcher = async (name: string): Promise<PodRef> => {
    const { status } = await getVmi(name);
    const running = (await launchers(name)).find(
      (pod) => pod.spec.nodeName === status?.nodeName && pod.metadata.deletionTimestamp === undefined,
    );
    if (running === undefined) throw new Error(`no launcher pod of ${name} on node ${status?.nodeName}`);
    return refOf(running);
  };

  /** Waits for an instance that runs; `exceptUid`: another one than this. */
  const expectRunning = (name: string, exceptUid?: string): Promise<Vmi> =>
    explained(
      `machine ${name} to run`,
      async () => {
        const vmi = await getVmi(name);
        const isOther = vmi.metadata.uid !== exceptUid && vmi.metadata.deletionTimestamp === undefined;
        if (isOther && vmi.status?.phase === 'Running') return vmi;
        throw new Error(`its instance is ${vmi.metadata.uid} in phase ${vmi.status?.phase}`);
      },
      podDeadlineMs,
    );

  const statusProblems = (vmi: Vmi, wanted: readonly string[]): readonly string[] => {
    const entries = (vmi.status?.interfaces ?? []).filter(({ name }) => name !== 'default');
    const odd = entries.filter(({ name }) => name === undefined || !wanted.includes(name));
    const isTold = (entry: InterfaceStatus | undefined, name: string): boolean =>
      entry?.podInterfaceName === podInterfaceName(name) && /\bmultus-status\b/.test(entry.infoSource ?? '');
    const missing = wanted.filter(
      (name) =>
        !isTold(
          entries.find((entry) => entry.name === name),
          name,
        ),
    );
    return [
      ...odd.map(({ name }) => `status.interfaces still has ${name}`),
      ...missing.map((name) => `status.interfaces does not tell of ${name}`),
    ];
  };

  /** Exactly these networks: in the machine's status as KubeVirt tells it, by name and source. */
  const expectStatus = (name: string, wanted: readonly string[]): Promise<Vmi> =>
    explained(
      `the status of ${name} to have ${wanted.join(', ') || 'no secondary network'}`,
      async () => {
        const vmi = await getVmi(name);
        const problems = statusProblems(vmi, wanted);
        if (problems.length > 0) throw new Error(`${problems.join('; ')}: ${JSON.stringify(vmi.status?.interfaces)}`);
        return vmi;
      },
      plugDeadlineMs,
    );

  const create = (name: string, options: VmOptions): Promise<Vm> =>
    getApi().create(vmsPath, vmManifest(name, namespace, options));

  const expectStarted = async (name: string): Promise<Vmi> => {
    const exists = () => getVmi(name).then(() => true as const);
    await explained(`machine ${name} to have an instance`, exists, podDeadlineMs);
    return expectRunning(name);
  };

  const migrationPhase = (name: string, phase: string): Promise<string> =>
    explained(
      `migration ${name} to be ${phase}`,
      async () => {
        const { status } = await getApi().get<Migration>(`${migrationsPath}/${name}`);
        if (status?.phase !== phase) throw new Error(`it is ${status?.phase}`);
        return phase;
      },
      podDeadlineMs,
    );

  beforeAll(async () => {
    if (!canHaveVirtualMachines) return;
    await ensureKubeVirt(await attachPlace(target));
    api = connectApi(target);
    handler = startVirtHandler(api, namespace);
  }, kubevirtDeadlineMs);

  afterAll(async () => {
    if (api === undefined) return;
    const kinds = 'virtualmachines,virtualmachineinstancemigrations,virtualmachineinstances';
    await story.kubectl.run(['-n', namespace, 'delete', kinds, '--all', '--timeout=90s']);
    await handler?.stop();
  });

  return {
    api: getApi,
    getVm,
    getVmi,
    launcher,
    launchers,
    create,
    expectRunning,
    expectStatus,

    /** Returns once it runs. */
    start: async (name: string, options: VmOptions = {}): Promise<Vmi> => {
      await create(name, options);
      return expectStarted(name);
    },
    /** Starts one that was made halted; returns once it runs. */
    switchOn: async (name: string): Promise<Vmi> => {
      await getApi().mergePatch(`${vmsPath}/${name}`, { spec: { runStrategy: 'Always' } });
      return expectStarted(name);
    },

    /** As an edit of the machine's template does it. */
    plug: async (name: string, network: VmNetwork): Promise<void> => {
      const template = '/spec/template/spec';
      await getApi().jsonPatch(`${vmsPath}/${name}`, [
        { op: 'add', path: `${template}/networks/-`, value: networkOf(network) },
        { op: 'add', path: `${template}/domain/devices/interfaces/-`, value: interfaceOf(network) },
      ]);
    },
    unplug: async (name: string, network: string): Promise<void> => {
      const { spec } = await getVm(name);
      const index = spec.template.spec.domain.devices.interfaces?.findIndex((one) => one.name === network) ?? -1;
      const path = `/spec/template/spec/domain/devices/interfaces/${index}`;
      await getApi().jsonPatch(`${vmsPath}/${name}`, [
        { op: 'test', path: `${path}/name`, value: network },
        { op: 'add', path: `${path}/state`, value: 'absent' },
      ]);
    },

    /** As virt-api does it for `virtctl restart`; returns once another instance runs. */
    restart: async (name: string): Promise<Vmi> => {
      const { metadata } = await getVmi(name);
      await getApi().jsonPatch(`${vmsPath}/${name}/status`, [
        {
          op: 'add',
          path: '/status/stateChangeRequests',
          value: [{ action: 'Stop', uid: metadata.uid }, { action: 'Start' }],
        },
      ]);
      return expectRunning(name, metadata.uid);
    },

    /** Kernel, network-status, address stores, and KubeVirt's own status: all say that it has exactly these networks. */
    expectNetworks: async (name: string, wanted: WantedOfVm): Promise<readonly PodLink[]> => {
      const pod = await launcher(name);
      const inPod = Object.fromEntries(
        Object.entries(wanted).map(([network, one]) => [podInterfaceName(network), one]),
      );
      const links = await story.expectInterfaces(pod, inPod);
      await expectStatus(name, Object.keys(wanted));
      return links;
    },

    /** The end of an unplug: neither instance nor template has the interface any more. */
    expectInterfaceGone: (name: string, network: string): Promise<boolean> =>
      explained(
        `${network} to be gone from ${name}`,
        async () => {
          const [vm, vmi] = await Promise.all([getVm(name), getVmi(name)]);
          const specs = [vm.spec.template.spec, vmi.spec];
          const left = specs.flatMap(({ domain, networks }) => [
            ...(domain.devices.interfaces ?? []),
            ...(networks ?? []),
          ]);
          if (left.some((one) => one.name === network)) throw new Error(JSON.stringify(specs));
          return true;
        },
        plugDeadlineMs,
      ),

    /** Returns the target pod once it is ready and virt-controller waits for the nodes. */
    startMigration: async (name: string): Promise<PodRef> => {
      const migration = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration' };
      const metadata = { name: `${name}-migration`, namespace };
      await getApi().create(migrationsPath, { ...migration, metadata, spec: { vmiName: name } });
      await migrationPhase(metadata.name, 'PreparingTarget');
      const { status } = await getVmi(name);
      const pod = await story.getPod({ name: status?.migrationState?.targetPod ?? '' });
      return refOf(pod);
    },
    /** Both virt-handlers' part; the source pod ends, as its launcher would. */
    finishMigration: async (name: string): Promise<void> => {
      const path = `${vmisPath(namespace)}/${name}`;
      const { targetNode, sourcePod, ...state } = (await getVmi(name)).status?.migrationState ?? {};
      if (targetNode === undefined) throw new Error(`${name} does not migrate: ${JSON.stringify(state)}`);
      const source = await launcher(name);
      const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const report = (change: object) => getApi().mergePatch(path, { status: { migrationState: change } });
      await report({ targetNodeAddress: '192.0.2.1' });
      await migrationPhase(`${name}-migration`, 'TargetReady');
      await report({ startTimestamp: now() });
      await migrationPhase(`${name}-migration`, 'Running');
      await getApi().mergePatch(path, {
        metadata: { labels: { 'kubevirt.io/nodeName': targetNode } },
        status: { nodeName: targetNode, migrationState: { endTimestamp: now(), completed: true } },
      });
      await migrationPhase(`${name}-migration`, 'Succeeded');
      await story.deletePod(source);
    },
  };
};
