// Virtual machines: hot-plug, names of primary interfaces, device maps and the node's network share one reconciler, because they share its objects.
import type { VmGates, VmWrites } from '../controller/vm/ports.ts';
import { makeReconcileMachine } from '../controller/vm/reconcile-machine.ts';
import { DefinitionReader } from '../kube/definition-reader.ts';
import { ObjectIndex } from '../kube/object-index.ts';
import type { ObjectView, WatchedObjects } from '../kube/watched-objects.ts';
import { NO_PLUGINS } from '../vm/binding-plugins.ts';
import type { ObjectHeader } from '../vm/object-header.ts';
import { type Edit, guardedPatch } from '../vm/object-patch.ts';
import { schemaFieldsOf } from '../vm/schema-fields.ts';
import type { Feature, FeatureContext } from './feature.ts';

/** KubeVirt's schema changes with its upgrade, and then nothing is lost by noticing late: annotations tell the same. */
const SCHEMA_MAX_AGE_MS = 600_000;

export const wireVirtualMachines = (context: FeatureContext): Feature => {
  const { settings, client, watched, recordEvent } = context;
  const gates: VmGates = {
    hotplug: settings.featureGates.has('HotplugNICs'),
    podInterfaceName: settings.featureGates.has('PodInterfaceName'),
    deviceMap: settings.featureGates.has('DeviceMap'),
    nodeNetwork: settings.featureGates.has('NodeNetwork') ? settings.nodeNetwork : undefined,
  };
  if (Object.values(gates).every((gate) => !gate)) return { loops: [] };

  const instances = watched.instances();
  const pods = watched.launcherPods();
  const migrations = watched.migrations();
  const machines = gates.hotplug || gates.nodeNetwork !== undefined ? watched.machines() : undefined;
  const installations = gates.hotplug || gates.deviceMap ? watched.kubeVirts() : undefined;
  const podsByMachine = new ObjectIndex(pods, ({ machine }) => [machine.key]);
  const migrationsByMachine = new ObjectIndex(migrations, ({ machine }) => [machine]);
  const schema = new DefinitionReader(
    ['virtualmachines.kubevirt.io', 'virtualmachineinstances.kubevirt.io'],
    ([ofMachines, ofInstances]) => schemaFieldsOf({ machines: ofMachines, instances: ofInstances }),
    { client, maxAgeMs: SCHEMA_MAX_AGE_MS, now: () => performance.now() },
  );

  const keys = () => new Set([...instances.list(), ...(machines?.list() ?? [])].map(({ key }) => key));
  const loop = context.makeLoop('virtualMachines', {
    keys,
    reconcile: makeReconcileMachine({
      gates,
      machines: { find: (key) => machines?.find(key) },
      instances,
      podsOf: (key) => podsByMachine.find(key),
      migrationsOf: (key) => migrationsByMachine.find(key),
      plugins: () => installations?.list()[0]?.plugins ?? NO_PLUGINS,
      fields: () => schema.read(),
      write: writesOf(context, machines),
      recordEvent,
      now: () => new Date(),
    }),
  });
  instances.subscribe((key) => loop.add(key));
  machines?.subscribe((key) => loop.add(key));
  subscribeOwner(
    pods,
    ({ machine }) => machine.key,
    (key) => loop.add(key),
  );
  subscribeOwner(
    migrations,
    ({ machine }) => machine,
    (key) => loop.add(key),
  );
  installations?.subscribe(() => {
    for (const key of keys()) loop.add(key);
  });
  return { loops: [loop] };
};

/** An object that is gone does not say any more whose it was. */
const subscribeOwner = <T extends ObjectView>(
  objects: WatchedObjects<T>,
  ownerOf: (object: T) => string,
  onChange: (owner: string) => void,
): void => {
  const owners = new Map<string, string>();
  objects.subscribe((key, after) => {
    const owner = after === undefined ? owners.get(key) : ownerOf(after);
    if (after === undefined || owner === undefined) owners.delete(key);
    else owners.set(key, owner);
    if (owner !== undefined) onChange(owner);
  });
};

const writesOf = (
  { watched, writer }: FeatureContext,
  machines: ReturnType<FeatureContext['watched']['machines']> | undefined,
): VmWrites => {
  const write =
    <T extends ObjectView & ObjectHeader>(objects: WatchedObjects<T> | undefined, subresource?: 'status') =>
    async (object: T, edits: readonly Edit[], signal: AbortSignal): Promise<void> => {
      if (objects === undefined) return;
      const options = { signal, ...(subresource && { subresource }) };
      objects.accept(await writer.patch(objects.resource, object.key, guardedPatch(object, edits), options));
    };
  return {
    machine: write(machines),
    machineStatus: write(machines, 'status'),
    instance: write(watched.instances()),
    pod: write(watched.launcherPods()),
  };
};
