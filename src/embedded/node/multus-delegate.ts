// One network as Multus hands it to libcni: the config with device id and cni-args worked in, what was asked for, and the
// form in which Multus keeps it in its scratch cache (one JSON file per container id).
import { isObject, type JsonObject, objectAt, objectsAt, parseObject, stringAt, stringsAt } from './json-values.ts';
import type { RuntimeConf } from './libcni.ts';

export interface DelegateRequest {
  readonly ifname?: string;
  readonly mac?: string;
  readonly ips?: readonly string[] | undefined;
  readonly cniArgs?: JsonObject | undefined;
  readonly deviceId?: string;
}

export interface Delegate {
  /** `namespace/name` of the NAD, or the config's own name. */
  readonly name: string;
  readonly config: JsonObject;
  readonly isList: boolean;
  readonly isDefault: boolean;
  readonly ifname: string;
  readonly mac: string;
  readonly ips: readonly string[] | undefined;
  readonly deviceId: string;
  readonly resourceName: string;
}

export interface DelegateOptions {
  readonly name?: string;
  readonly request?: DelegateRequest | undefined;
  /** From the device plugin; an element's own `deviceID` counts only without it. */
  readonly deviceId?: string;
  readonly resourceName?: string;
  readonly isDefault?: boolean;
}

export const loadDelegate = (source: JsonObject, options: DelegateOptions = {}): Delegate => {
  const { request, deviceId = '', resourceName = '' } = options;
  const isList = stringAt(source, 'type') === '';
  if (isList && objectsAt(source, 'plugins').length === 0) {
    throw new Error(
      "LoadDelegateNetConf: failed with: LoadDelegateNetConfList: delegate must have the 'type' or 'plugin' field",
    );
  }
  const inject = (config: JsonObject): JsonObject => ({
    ...config,
    ...(deviceId && { deviceID: deviceId, pciBusID: deviceId }),
    ...(request?.cniArgs && { args: withCniArgs(config['args'], request.cniArgs) }),
  });
  return {
    name: options.name ?? stringAt(source, 'name'),
    config: isList ? { ...source, plugins: objectsAt(source, 'plugins').map(inject) } : inject(source),
    isList,
    isDefault: options.isDefault ?? false,
    ifname: request?.ifname ?? '',
    mac: request?.mac ?? '',
    ips: request?.ips,
    deviceId: deviceId || (request?.deviceId ?? ''),
    resourceName: deviceId && resourceName,
  };
};

const withCniArgs = (args: unknown, cniArgs: JsonObject): JsonObject => {
  const existing = isObject(args) ? args : {};
  return { ...existing, cni: { ...objectAt(existing, 'cni'), ...cniArgs } };
};

export interface SandboxArgs {
  readonly containerId: string;
  readonly netns: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly podUid: string;
}

/** CNI_ARGS and capability arguments in Multus' order. Its DEL and CHECK on `/delegate` carry no request, so no IP or MAC. */
export const runtimeConfOf = (sandbox: SandboxArgs, ifname: string, delegate: Delegate): RuntimeConf => {
  const capabilityArgs: JsonObject = {};
  if (!delegate.isDefault) {
    if (delegate.ips !== undefined && delegate.ips.length > 0) capabilityArgs['ips'] = delegate.ips;
    if (delegate.mac !== '') capabilityArgs['mac'] = delegate.mac;
    if (delegate.deviceId !== '') capabilityArgs['deviceID'] = delegate.deviceId;
  }
  const args = new Map([
    ['IgnoreUnknown', 'true'],
    ['K8S_POD_NAMESPACE', sandbox.podNamespace],
    ['K8S_POD_NAME', sandbox.podName],
    ['K8S_POD_INFRA_CONTAINER_ID', ''],
    ['K8S_POD_UID', sandbox.podUid],
  ]);
  return { containerId: sandbox.containerId, netns: sandbox.netns, ifname, args, capabilityArgs };
};

const knownConf = (config: JsonObject): JsonObject => {
  const { capabilities, cniVersion, dns, name, type } = config;
  const ipamType = stringAt(objectAt(config, 'ipam'), 'type');
  return { capabilities, cniVersion, dns, ipam: ipamType ? { type: ipamType } : {}, name, type };
};

/** Multus' own struct, field by field; `Bytes` is the config in base64. */
const toSaved = (delegate: Delegate): JsonObject => {
  const { cniVersion, name, disableCheck } = delegate.config;
  const plugins = objectsAt(delegate.config, 'plugins').map(knownConf);
  return {
    Conf: delegate.isList ? { cniVersion, ipam: {}, name } : knownConf(delegate.config),
    ConfList: delegate.isList ? { cniVersion, name, disableCheck, plugins } : {},
    CNINetworkConfigList: {
      Name: '',
      CNIVersion: '',
      DisableCheck: false,
      DisableGC: false,
      LoadOnlyInlinedPlugins: false,
      Plugins: null,
      Bytes: null,
    },
    Name: delegate.name,
    ifnameRequest: delegate.ifname || undefined,
    macRequest: delegate.mac || undefined,
    ipRequest: delegate.ips,
    IsFilterV4Gateway: false,
    IsFilterV6Gateway: false,
    deviceID: delegate.deviceId || undefined,
    resourceName: delegate.resourceName || undefined,
    Bytes: Buffer.from(JSON.stringify(delegate.config)).toString('base64'),
  };
};

export const saveDelegates = (delegates: readonly Delegate[]): string => JSON.stringify(delegates.map(toSaved));

export const parseSavedDelegates = (text: string): Delegate[] => {
  const saved: unknown = JSON.parse(text);
  return (Array.isArray(saved) ? saved.filter(isObject) : []).map((entry, index) => {
    const config = parseObject(Buffer.from(stringAt(entry, 'Bytes'), 'base64').toString());
    return {
      name: stringAt(entry, 'Name'),
      config,
      isList: stringAt(config, 'type') === '',
      isDefault: index === 0,
      ifname: stringAt(entry, 'ifnameRequest'),
      mac: stringAt(entry, 'macRequest'),
      ips: Array.isArray(entry['ipRequest']) ? stringsAt(entry, 'ipRequest') : undefined,
      deviceId: stringAt(entry, 'deviceID'),
      resourceName: stringAt(entry, 'resourceName'),
    };
  });
};
