// The node's device plugins: which devices exist per resource name and which pod has them.
// Promise: a device belongs to one pod at a time; a pod gets all devices it asks for, or none.
import { type JsonObject, objectAt, objectsAt } from './json-values.ts';

export class DevicePool {
  readonly #devices = new Map<string, string[]>();
  /** Device id to pod uid. */
  readonly #users = new Map<string, string>();

  add(resourceName: string, ids: readonly string[]): void {
    this.#devices.set(resourceName, [...(this.#devices.get(resourceName) ?? []), ...ids]);
  }

  /** What the containers of this pod ask for in `resources`, of resources that a device plugin here offers. */
  allocate(podUid: string, spec: JsonObject | undefined): Map<string, string[]> {
    const allocated = new Map<string, string[]>();
    for (const [resource, ids] of this.#devices) {
      const wanted = objectsAt(spec, 'containers').reduce((sum, container) => sum + countOf(container, resource), 0);
      const usable = ids.filter((id) => (this.#users.get(id) ?? podUid) === podUid).slice(0, wanted);
      if (usable.length < wanted)
        throw new Error(`Allocate failed: not enough ${resource}: ${usable.length} of ${wanted}`);
      if (wanted > 0) allocated.set(resource, usable);
    }
    for (const id of [...allocated.values()].flat()) this.#users.set(id, podUid);
    return allocated;
  }

  free(podUid: string): void {
    for (const [id, user] of this.#users) if (user === podUid) this.#users.delete(id);
  }
}

const countOf = (container: JsonObject, resource: string): number => {
  const resources = objectAt(container, 'resources');
  const value = objectAt(resources, 'limits')[resource] ?? objectAt(resources, 'requests')[resource] ?? 0;
  return Number(value);
};

/** The environment by which a device plugin tells a container its devices. */
export const deviceEnvironment = (devices: ReadonlyMap<string, readonly string[]>): { key: string; value: string }[] =>
  [...devices].map(([resource, ids]) => ({
    key: `PCIDEVICE_${resource.toUpperCase().replace(/[/.]/g, '_')}`,
    value: ids.join(','),
  }));
