// Network binding plugins as the KubeVirt configuration registers them: they may need a network of their own in the pod.
import { isJsonObject } from '../model/json.ts';
import { objectIn, textIn } from '../model/json-fields.ts';

export interface BindingPlugin {
  readonly definition: string | undefined;
  /** It wants to know its network's device, as SR-IOV interfaces do. */
  readonly needsDeviceInfo: boolean;
}

export type BindingPlugins = ReadonlyMap<string, BindingPlugin>;

export const NO_PLUGINS: BindingPlugins = new Map();

/** From the KubeVirt resource. Without one, or with an odd one, no plugin is registered. */
export const viewBindingPlugins = (kubevirt: unknown): BindingPlugins => {
  const configuration = objectIn(objectIn(kubevirt, 'spec'), 'configuration');
  const registered = objectIn(objectIn(configuration, 'network'), 'binding');
  return new Map(
    Object.entries(registered)
      .filter(([, plugin]) => isJsonObject(plugin))
      .map(([name, plugin]) => [
        name,
        {
          definition: textIn(plugin, 'networkAttachmentDefinition') || undefined,
          needsDeviceInfo: textIn(plugin, 'downwardAPI') === 'device-info',
        },
      ]),
  );
};
