// Turns a NetworkAttachmentDefinition's config and one element of the annotation into what /delegate is to be sent.
// Multus applies `ips` and `mac` itself; the rest of an element it applies only at pod creation, or only at ADD, so that is
// put into the config here, in the places where Multus and libcni would have put it.
import type { DelegateAttributes } from './attachment-record.ts';
import { KnownError } from './errors.ts';
import { isDeeperThan, isJsonObject, type JsonObject, quote } from './json.ts';
import { type NetworkName, splitName } from './keys.ts';
import type { SelectionAttributes } from './network-selection.ts';

export interface DelegateConfig {
  readonly config: string;
  readonly attributes: DelegateAttributes;
}

export const renderConfig = (
  network: NetworkName,
  configText: string,
  requested: SelectionAttributes,
): DelegateConfig => {
  const named = parseConfig(network, configText);
  const config = [withRuntimeConfig, withDevice, withCniArgs].reduce(
    (whole, step) => step(whole, requested, network),
    named,
  );
  return { config: JSON.stringify(config), attributes: delegateAttributes(config, requested) };
};

/** A CNI config or config list with its name filled in, as Multus fills it in when a NAD's config lacks one. */
export const parseConfig = (network: NetworkName, configText: string): JsonObject => {
  let config: unknown;
  try {
    config = JSON.parse(configText);
  } catch (error) {
    throw invalid(network, `is not valid JSON: ${quote(configText)}`, error);
  }
  if (!isJsonObject(config) || isDeeperThan(config))
    throw invalid(network, `is not a CNI configuration: ${quote(configText)}`);
  if (!isText(config['type']) && pluginsOf(config).length === 0) {
    throw invalid(network, 'has neither a plugin "type" nor a list of "plugins"');
  }
  const odd = pluginNames(config).find((name) => !PLUGIN_NAME.test(name));
  if (odd !== undefined) throw invalid(network, `names ${quote(odd)} as a plugin, which cannot be the name of one`);
  return isText(config['name']) ? config : { ...config, name: splitName(network)?.name };
};

/** A plugin is a file in Multus' own directory of them: never a path. Multus refuses others too; here they are not even sent. */
const PLUGIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** Of every plugin that the config makes Multus run: its own, those of a list, and those that give addresses. */
const pluginNames = (config: JsonObject): readonly string[] =>
  [config, ...pluginsOf(config)].flatMap((plugin) =>
    [plugin, plugin['ipam']].filter(isJsonObject).flatMap(({ type }) => (isText(type) ? [type] : [])),
  );

const invalid = (network: NetworkName, problem: string, cause?: unknown) =>
  new KnownError(
    'networkInvalid',
    `the config of NetworkAttachmentDefinition ${network} ${problem}; correct it, and the interface is plugged`,
    { cause },
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const pluginsOf = (config: JsonObject): readonly JsonObject[] => {
  const plugins = config['plugins'];
  return Array.isArray(plugins) ? plugins.filter(isJsonObject) : [];
};

/** The plugins of a list, or the config itself where it is that of a single plugin. */
const mapPlugins = (config: JsonObject, change: (plugin: JsonObject, index: number) => JsonObject): JsonObject =>
  isText(config['type']) ? change(config, 0) : { ...config, plugins: pluginsOf(config).map(change) };

const withDevice = (config: JsonObject, { deviceId }: SelectionAttributes): JsonObject => {
  if (deviceId === undefined) return config;
  return mapPlugins(config, (plugin, index) =>
    index === 0 ? { ...plugin, deviceID: deviceId, pciBusID: deviceId } : plugin,
  );
};

/** Capabilities that Multus passes on only at pod creation. */
const ownCapabilities = ({ portMappings, bandwidth, infinibandGuid }: SelectionAttributes): JsonObject =>
  withoutUndefined({ portMappings, bandwidth, infinibandGUID: infinibandGuid });

/**
 * libcni replaces a plugin's whole runtimeConfig by what Multus passes on. So a plugin that is given something here is given
 * its `ips` and `mac` here too, and Multus is not told of them: see delegateAttributes().
 */
const withRuntimeConfig = (config: JsonObject, requested: SelectionAttributes, network: NetworkName): JsonObject => {
  const own = ownCapabilities(requested);
  if (Object.keys(own).length === 0) return config;
  const wanted: JsonObject = { ...own, ...withoutUndefined({ ips: requested.ips, mac: requested.mac }) };
  const served = new Set<string>();
  const rendered = mapPlugins(config, (plugin) => {
    const given = Object.keys(wanted).filter((capability) => declares(plugin, capability));
    for (const capability of given) served.add(capability);
    return given.length === 0
      ? plugin
      : { ...plugin, runtimeConfig: Object.fromEntries(given.map((name) => [name, wanted[name]])) };
  });
  const unserved = Object.keys(own).find((capability) => !served.has(capability));
  if (unserved !== undefined) {
    throw new KnownError(
      'notHotPluggable',
      `the element asks for ${unserved}, but no plugin of ${network} declares that capability; declare it in the config, or leave it out of the element`,
    );
  }
  return rendered;
};

const declares = (plugin: JsonObject, capability: string): boolean =>
  isJsonObject(plugin['capabilities']) && plugin['capabilities'][capability] === true;

const withoutUndefined = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

/** Multus would put them there at ADD, but has nothing to put there at DEL: plugins that need them would not find them. */
const withCniArgs = (config: JsonObject, { cniArgs }: SelectionAttributes): JsonObject => {
  if (cniArgs === undefined) return config;
  return mapPlugins(config, (plugin) => {
    const args = isJsonObject(plugin['args']) ? plugin['args'] : {};
    const present = isJsonObject(args['cni']) ? args['cni'] : {};
    return { ...plugin, args: { ...args, cni: { ...present, ...cniArgs } } };
  });
};

/** What Multus is to pass on: nothing that the config itself already tells the plugin. */
const delegateAttributes = (config: JsonObject, requested: SelectionAttributes): DelegateAttributes => {
  const plugins = isText(config['type']) ? [config] : pluginsOf(config);
  const isTold = (capability: 'ips' | 'mac') =>
    Object.keys(ownCapabilities(requested)).length > 0 && plugins.some((plugin) => declares(plugin, capability));
  const { ips, mac } = requested;
  return {
    ...(ips !== undefined && !isTold('ips') && { ips }),
    ...(mac !== undefined && !isTold('mac') && { mac }),
  };
};

/**
 * The form in which CHECK can be asked for over /delegate: Multus reads a single plugin there, never a list. The first plugin
 * of a list is the one that makes the interface, so it is the one to ask.
 */
export const configForCheck = (configText: string): string => {
  const config: unknown = JSON.parse(configText);
  if (!isJsonObject(config) || isText(config['type'])) return configText;
  const { name, cniVersion } = config;
  return JSON.stringify({ ...pluginsOf(config)[0], name, cniVersion });
};
