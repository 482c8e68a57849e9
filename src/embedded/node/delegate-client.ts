// For tests: speaks to the daemon's `/delegate` as the agent does, one connection per request.
import { Agent, request } from 'undici';
import type { EmbeddedCluster } from '../cluster.ts';
import type { JsonObject } from './json-values.ts';
import type { PodRef } from './kubelet.ts';

export interface DelegateInput {
  readonly command: string;
  readonly pod: PodRef;
  readonly ifname?: string;
  readonly config: JsonObject;
  readonly attributes?: JsonObject;
  /** In place of what the pod's sandbox says; undefined leaves the variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export const post = async (socketPath: string, path: string, body: string, method = 'POST'): Promise<Answer> => {
  const dispatcher = new Agent({ connect: { socketPath } });
  try {
    const payload = method === 'GET' ? {} : { body };
    const response = await request(`http://multus${path}`, { dispatcher, method, ...payload });
    return { status: response.statusCode, body: await response.body.text() };
  } finally {
    await dispatcher.destroy();
  }
};

export const delegateBody = (cluster: EmbeddedCluster, input: DelegateInput): string => {
  const { namespace, name } = input.pod;
  const sandbox = cluster.kubelet.findSandbox(input.pod);
  const uid = cluster.objects.find({ resource: 'pods', namespace, name })?.metadata.uid ?? 'none';
  return JSON.stringify({
    env: {
      CNI_COMMAND: input.command,
      CNI_CONTAINERID: sandbox?.id,
      CNI_NETNS: sandbox?.netns,
      CNI_IFNAME: input.ifname ?? 'net7',
      CNI_ARGS: `K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name};K8S_POD_UID=${uid}`,
      ...input.env,
    },
    config: Buffer.from(JSON.stringify(input.config)).toString('base64'),
    interfaceAttributes: input.attributes,
  });
};

export const delegate = (cluster: EmbeddedCluster, input: DelegateInput): Promise<Answer> =>
  post(cluster.multusSocket, '/delegate', delegateBody(cluster, input));

export const bridgeConfig = (overrides: JsonObject = {}): JsonObject => ({
  cniVersion: '1.0.0',
  name: 'tenant',
  type: 'bridge',
  bridge: 'br-tenant',
  ipam: { type: 'host-local', subnet: '10.20.0.0/24' },
  ...overrides,
});
