// Runs CNI configs and config lists the way libcni does for Multus: checks names, injects name, version, runtimeConfig and
// the previous result, walks lists forward on ADD and backward on DEL, and keeps the result of an ADD until DEL (in memory:
// the real one's files would cost a burst of pods more than everything else here).
// Promise: an ADD that throws leaves no cached result, and undoes nothing: that is the caller's DEL to do.
import {
  CniError,
  type CniPlugin,
  type PluginCall,
  type PluginRegistry,
  type PluginWorld,
  pluginNotFound,
} from './cni-plugin.ts';
import { type CniResult, isAtLeast, resultAsVersion, supportedVersions } from './cni-result.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from './json-values.ts';

export interface RuntimeConf {
  readonly containerId: string;
  readonly netns: string;
  readonly ifname: string;
  readonly args: ReadonlyMap<string, string>;
  readonly capabilityArgs: JsonObject;
}

const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

const validate = (network: string, runtime: RuntimeConf): void => {
  const { containerId, ifname } = runtime;
  if (containerId === '') throw new CniError(3, 'missing containerID');
  if (!namePattern.test(containerId)) throw new CniError(4, 'invalid characters in containerID', containerId);
  if (network === '') throw new CniError(7, 'missing network name:');
  if (!namePattern.test(network)) throw new CniError(7, 'invalid characters found in network name', network);
  if (ifname === '') throw new CniError(4, 'interface name is empty');
  if (ifname.length > 15)
    throw new CniError(4, 'interface name is too long', 'interface name should be less than 16 characters');
  if (ifname === '.' || ifname === '..') throw new CniError(4, 'interface name is . or ..');
  if (/[/:\s]/.test(ifname)) throw new CniError(4, 'interface name contains / or : or whitespace characters');
};

const describe = (plugin: JsonObject): string => {
  const name = stringAt(plugin, 'name');
  return `type="${stringAt(plugin, 'type')}"${name && ` name="${name}"`}`;
};

const cacheKey = (name: string, { containerId, ifname }: RuntimeConf): string => `${name}-${containerId}-${ifname}`;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class Libcni {
  readonly #plugins: PluginRegistry;
  readonly #world: PluginWorld;
  /** Under the names that libcni gives its cache files. */
  readonly #results = new Map<string, CniResult>();

  constructor(plugins: PluginRegistry, world: PluginWorld) {
    this.#plugins = plugins;
    this.#world = world;
  }

  get cachedResults(): string[] {
    return [...this.#results.keys()];
  }

  /** With `failHalfWay` the first plugin does its work and then that error is thrown, as if the next step had failed. */
  add(config: JsonObject, runtime: RuntimeConf, failHalfWay?: string): CniResult {
    const { name, version, plugins, isList } = this.#parse(config);
    let result: CniResult | undefined;
    for (const plugin of plugins) {
      try {
        const implementation = this.#find(plugin);
        validate(name, runtime);
        result = resultAsVersion(
          implementation.add(this.#call(name, version, plugin, runtime, result), this.#world),
          version,
        );
        if (failHalfWay !== undefined) throw new CniError(999, failHalfWay);
      } catch (error) {
        throw isList ? new Error(`plugin ${describe(plugin)} failed (add): ${textOf(error)}`, { cause: error }) : error;
      }
    }
    if (result === undefined) throw new CniError(7, 'no plugins');
    this.#results.set(cacheKey(name, runtime), result);
    return result;
  }

  del(config: JsonObject, runtime: RuntimeConf): void {
    const { name, version, plugins, isList } = this.#parse(config);
    const cached = isAtLeast(version, '0.4.0') ? this.#recall(name, version, runtime) : undefined;
    for (const plugin of plugins.toReversed()) {
      try {
        this.#find(plugin).del(this.#call(name, version, plugin, runtime, cached), this.#world);
      } catch (error) {
        throw isList
          ? new Error(`plugin ${describe(plugin)} failed (delete): ${textOf(error)}`, { cause: error })
          : error;
      }
    }
    this.#results.delete(cacheKey(name, runtime));
  }

  check(config: JsonObject, runtime: RuntimeConf): void {
    const { name, version, plugins } = this.#parse(config);
    if (!isAtLeast(version, '0.4.0')) {
      throw new Error(`configuration version "${version}" does not support the CHECK command`);
    }
    if (config['disableCheck'] === true) return;
    const cached = this.#recall(name, version, runtime);
    for (const plugin of plugins) {
      this.#find(plugin).check(this.#call(name, version, plugin, runtime, cached), this.#world);
    }
  }

  #parse(config: JsonObject): { name: string; version: string; plugins: JsonObject[]; isList: boolean } {
    const name = stringAt(config, 'name');
    const version = stringAt(config, 'cniVersion');
    if (config['plugins'] === undefined) return { name, version, plugins: [config], isList: false };
    if (config['name'] === undefined) throw new Error('error parsing configuration list: no name');
    const plugins = objectsAt(config, 'plugins');
    if (plugins.length === 0) throw new Error('error parsing configuration list: no plugins in list');
    return { name, version, plugins, isList: true };
  }

  #find(plugin: JsonObject): CniPlugin {
    const type = stringAt(plugin, 'type');
    const found = this.#plugins.get(type);
    if (found === undefined) throw pluginNotFound(type);
    return found;
  }

  #call(
    name: string,
    cniVersion: string,
    plugin: JsonObject,
    runtime: RuntimeConf,
    prevResult: CniResult | undefined,
  ): PluginCall {
    if (cniVersion !== '' && !supportedVersions.includes(cniVersion)) {
      const supported = supportedVersions.map((version) => JSON.stringify(version)).join(' ');
      throw new CniError(1, 'incompatible CNI versions', `config is "${cniVersion}", plugin supports [${supported}]`);
    }
    const runtimeConfig: JsonObject = {};
    for (const [capability, declared] of Object.entries(objectAt(plugin, 'capabilities'))) {
      const value = runtime.capabilityArgs[capability];
      if (declared === true && value !== undefined) runtimeConfig[capability] = value;
    }
    const config = { ...plugin, name, cniVersion, ...(Object.keys(runtimeConfig).length > 0 && { runtimeConfig }) };
    const { containerId, netns, ifname, args } = runtime;
    return { containerId, netns, ifname, args, config, prevResult };
  }

  #recall(name: string, version: string, runtime: RuntimeConf): CniResult | undefined {
    const result = this.#results.get(cacheKey(name, runtime));
    return result && resultAsVersion(result, version);
  }
}
