// The files of a support bundle. Chosen, not dumped: of pods only what is about networks, of virtual machines only their networks,
// of configs nothing that is called a secret; Secrets are never read.
import { isJsonObject } from '../../model/json.ts';
import { parseNetworkSpec } from '../../vm/network-spec.ts';
import { diagnose } from '../logic/diagnose.ts';
import { describePodNetworks, hasNetworks } from '../logic/pod-networks.ts';
import { redactText } from '../logic/redact.ts';
import type { ArchiveFile } from '../render/tar.ts';
import type { Session } from '../session.ts';
import { listPods } from './cluster-pod.ts';
import { gatherDoctorFacts } from './doctor-facts.ts';
import { isOurs, listEvents } from './events.ts';
import { listNetworks } from './network-definitions.ts';
import { askPod, listOurPods, type OurPod } from './our-pods.ts';
import { findObjects } from './read-objects.ts';
import {
  CLAIMS,
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  objectPath,
  PODS,
  type Resource,
  VMS,
} from './resources.ts';

const LOG_LINES = '5000';

export const gatherSupportFiles = async (session: Session, version: string): Promise<readonly ArchiveFile[]> => {
  const facts = await gatherDoctorFacts(session, version);
  const namespace = facts.installation.agents?.namespace ?? facts.installation.controller?.namespace;
  const ours = namespace === undefined ? [] : await listOurPods(session, namespace);
  const say = (what: string) => session.terminal.progress(`reading ${what} …`);
  say('objects');
  const files: ArchiveFile[] = [
    json('about.json', {
      version,
      server: facts.serverVersion,
      context: session.contextName,
      installation: facts.installation,
    }),
    json('doctor.json', diagnose(facts, session.now())),
    ...(await attempt('pods.json', async () =>
      (await listPods(session, undefined)).map(describePodNetworks).filter(hasNetworks),
    )),
    ...(await attempt('networks.json', () => readNetworks(session))),
    ...(await attempt('events.json', async () => (await listEvents(session, undefined)).filter(isOurs))),
    ...(await attempt('nodes.json', () => readNodes(session))),
    ...(await attempt('claims.json', () => readAll(session, CLAIMS))),
    ...(await attempt('virtual-machines.json', () => readMachines(session))),
    ...(namespace === undefined ? [] : await readInstallation(session, namespace)),
  ];
  for (const pod of ours) {
    say(pod.name);
    files.push(...(await readPod(session, pod)));
  }
  session.terminal.progress('');
  return files;
};

const json = (path: string, value: unknown): ArchiveFile => ({ path, content: `${JSON.stringify(value, null, 2)}\n` });

/** What cannot be read is in the bundle too, with the reason: a gap must not look like an absence. */
const attempt = async (path: string, read: () => Promise<unknown>): Promise<readonly ArchiveFile[]> => {
  try {
    const value = await read();
    return value === undefined ? [] : [json(path, value)];
  } catch (error) {
    return [{ path: `${path}.error.txt`, content: `${error instanceof Error ? error.message : String(error)}\n` }];
  }
};

const readAll = async (
  session: Session,
  resource: Resource,
  namespace?: string,
): Promise<readonly unknown[] | undefined> => await findObjects(session, resource, { namespace });

const readNetworks = async (session: Session): Promise<unknown> =>
  [...(await listNetworks(session, undefined)).values()].map((network) => ({
    ...network,
    config: redactText(network.config),
  }));

const fieldsOf = (
  object: unknown,
): { metadata: Record<string, unknown>; spec: unknown; status: Record<string, unknown> } => {
  const whole = isJsonObject(object) ? object : {};
  const of = (field: string) => (isJsonObject(whole[field]) ? { ...whole[field] } : {});
  return { metadata: of('metadata'), spec: whole['spec'], status: of('status') };
};

const readNodes = async (session: Session): Promise<unknown> =>
  (await readAll(session, NODES))?.map((object) => {
    const { metadata, status } = fieldsOf(object);
    return {
      name: metadata['name'],
      conditions: status['conditions'],
      nodeInfo: status['nodeInfo'],
      addresses: status['addresses'],
    };
  });

/** Templates of virtual machines may have passwords for their guests: only networks are taken. */
const readMachines = async (session: Session): Promise<unknown> =>
  (await readAll(session, VMS))?.map((object) => {
    const { metadata, spec, status } = fieldsOf(object);
    const template = isJsonObject(spec) && isJsonObject(spec['template']) ? spec['template']['spec'] : undefined;
    return {
      namespace: metadata['namespace'],
      name: metadata['name'],
      printableStatus: status['printableStatus'],
      networks: parseNetworkSpec(template).raw,
    };
  });

const readInstallation = async (session: Session, namespace: string): Promise<readonly ArchiveFile[]> => {
  const kinds = [DAEMON_SETS, DEPLOYMENTS, CONFIG_MAPS];
  const read = kinds.map((kind) =>
    attempt(`installation/${kind.plural}.json`, () => readAll(session, kind, namespace)),
  );
  return (await Promise.all(read)).flat();
};

const readPod = async (session: Session, pod: OurPod): Promise<readonly ArchiveFile[]> => {
  const folder = `${pod.component}/${pod.name}`;
  const pages = ['/metrics', '/readyz', ...(pod.component === 'agent' ? ['/ledger'] : [])];
  const answers = await Promise.all(
    pages.map(async (page) => ({ path: `${folder}${page}.txt`, content: (await askPod(session, pod, page)).text })),
  );
  return [...answers, { path: `${folder}/log.txt`, content: await readLog(session, pod) }];
};

const readLog = async ({ client, signal }: Session, pod: OurPod): Promise<string> => {
  const path = `${objectPath(PODS, pod)}/log`;
  try {
    return await client.text({ method: 'GET', path, query: { tailLines: LOG_LINES }, accept: '*/*', signal });
  } catch (error) {
    return `the log cannot be read: ${error instanceof Error ? error.message : String(error)}\n`;
  }
};
