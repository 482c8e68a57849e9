// A `/delegate` request, checked in the daemon's order and with its texts.
import { isObject, type JsonObject, objectAt, stringAt, stringsAt } from './json-values.ts';
import type { DelegateRequest } from './multus-delegate.ts';

export interface DelegateCall {
  readonly id: number;
  readonly command: string;
  readonly containerId: string;
  readonly netns: string;
  readonly ifname: string;
  readonly args: string;
  /** `namespace/name` */
  readonly pod: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly podUid: string | undefined;
  /** The request's config, with the daemon's own keys over it. */
  readonly config: JsonObject;
  /** The config's `name`. */
  readonly network: string;
  readonly attributes: DelegateRequest | undefined;
  readonly receivedAtMs: number;
  /** Set when answered: the HTTP status, or 0 for a connection that was cut. */
  status?: number;
  /** The text of the answer when it was an error. */
  error?: string;
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const isCut =
      text.trim() === '' || /end of JSON input|Unterminated/.test(error instanceof Error ? error.message : '');
    const first = JSON.stringify(text.trim()[0] ?? '').slice(1, -1);
    throw new Error(
      isCut ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`,
    );
  }
};

const parseConfig = (request: JsonObject, serverConfig: JsonObject): JsonObject => {
  let config: unknown;
  try {
    config = parseJson(Buffer.from(stringAt(request, 'config'), 'base64').toString());
  } catch (error) {
    throw new Error(`failed to unmarshall CNI config: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(config)) {
    throw new Error(
      'failed to unmarshall CNI config: json: cannot unmarshal into Go value of type map[string]interface {}',
    );
  }
  return { ...config, ...serverConfig };
};

const parseArgs = (args: string): Map<string, string> => {
  const parsed = new Map<string, string>();
  for (const arg of args.split(';')) {
    const [key, value, ...more] = arg.split('=');
    if (key === undefined || value === undefined || more.length > 0) throw new Error(`invalid CNI_ARG '${arg}'`);
    parsed.set(key.trim(), value.trim());
  }
  return parsed;
};

const parseAttributes = (request: JsonObject): DelegateRequest | undefined => {
  const attributes = request['interfaceAttributes'];
  if (!isObject(attributes)) return undefined;
  return {
    mac: stringAt(attributes, 'mac'),
    ips: Array.isArray(attributes['ips']) ? stringsAt(attributes, 'ips') : undefined,
    cniArgs: isObject(attributes['cni-args']) ? attributes['cni-args'] : undefined,
  };
};

const required = (env: JsonObject, key: string, text = `missing ${key}`): string => {
  const value = env[key];
  if (typeof value !== 'string') throw new Error(text);
  return value;
};

const wrap = <T>(prefix: string, parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${prefix}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
};

export const parseDelegateRequest = (body: string, serverConfig: JsonObject, id: number): DelegateCall => {
  const request = parseJson(body);
  if (!isObject(request)) throw new Error('json: cannot unmarshal into Go value of type api.Request');
  const env = objectAt(request, 'env');
  const cni = wrap('could not extract the CNI command args', () => ({
    command: required(env, 'CNI_COMMAND', 'unexpected or missing CNI_COMMAND'),
    containerId: required(env, 'CNI_CONTAINERID'),
    netns: required(env, 'CNI_NETNS'),
    ifname: typeof env['CNI_IFNAME'] === 'string' ? env['CNI_IFNAME'] : 'eth0',
    args: required(env, 'CNI_ARGS'),
    config: parseConfig(request, serverConfig),
  }));
  const pod = wrap('could not extract the kubernetes runtime args', () => {
    const args = parseArgs(cni.args);
    const [podNamespace, podName] = [args.get('K8S_POD_NAMESPACE'), args.get('K8S_POD_NAME')];
    if (podNamespace === undefined) throw new Error('missing K8S_POD_NAMESPACE');
    if (podName === undefined) throw new Error('missing K8S_POD_NAME');
    return { podNamespace, podName, podUid: args.get('K8S_POD_UID') };
  });
  return {
    id,
    ...cni,
    ...pod,
    pod: `${pod.podNamespace}/${pod.podName}`,
    network: stringAt(cni.config, 'name'),
    attributes: parseAttributes(request),
    receivedAtMs: performance.now(),
  };
};
