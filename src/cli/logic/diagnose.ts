// From what the doctor saw to what he says: each finding with what to do about it. Pure.
import { X509Certificate } from 'node:crypto';
import type { AgentFacts, DoctorFacts } from '../gather/doctor-facts.ts';
import type { Workload } from '../gather/installation.ts';
import { describePodNetworks } from './pod-networks.ts';

export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'failure' | 'unknown';
  readonly message: string;
  readonly remedy?: string;
}

export const diagnose = (facts: DoctorFacts, nowMs: number): readonly Finding[] => [
  checkServer(facts),
  checkDefinitions(facts),
  ...checkAgents(facts),
  ...checkController(facts),
  ...checkVersions(facts),
  checkRights(facts),
  ...checkWebhooks(facts, nowMs),
  ...checkLedgers(facts),
  ...checkWhereabouts(facts),
  ...checkHostLocal(facts),
  checkInterfaces(facts),
];

const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });
const unknown = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'unknown',
  message,
  remedy,
});
const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'warning',
  message,
  remedy,
});
const failure = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'failure',
  message,
  remedy,
});

const checkServer = ({ serverVersion }: DoctorFacts): Finding => {
  const minor = Number(/^v1\.(\d+)/.exec(serverVersion)?.[1] ?? Number.NaN);
  if (minor >= 29) return ok('API server', serverVersion);
  return warning(
    'API server',
    `${serverVersion || 'unknown version'}: before 1.29 the kubelet does not tell when a sandbox was replaced`,
    'upgrade Kubernetes; until then a replaced sandbox is noticed only when the address of the pod changes',
  );
};

const checkDefinitions = ({ hasNetworks }: DoctorFacts): Finding =>
  hasNetworks
    ? ok('Multus definitions', 'NetworkAttachmentDefinitions are installed')
    : failure(
        'Multus definitions',
        'the CRD network-attachment-definitions.k8s.cni.cncf.io is missing',
        'install Multus 4 as its thick DaemonSet',
      );

/** Parts of an agent that /readyz names, and what to do when one is down. */
const PARTS: Readonly<Record<string, { readonly check: string; readonly remedy: string }>> = {
  multus: {
    check: 'Multus socket',
    remedy:
      'is the Multus DaemonSet running on that node, and is it the thick one? multusSocket in agent-settings.yaml must name its socket below /host/run',
  },
  containerRuntime: {
    check: 'CRI socket',
    remedy: 'criSocket in agent-settings.yaml must name the socket of the container runtime below /host/run',
  },
  apiServer: {
    check: 'watch of pods',
    remedy: 'does the agent reach the API server from that node? kubectl logs of the agent says more',
  },
  networks: { check: 'watch of networks', remedy: 'kubectl logs of the agent says more' },
};

const checkAgents = ({ installation, agents }: DoctorFacts): readonly Finding[] => {
  const { agents: workload } = installation;
  if (workload === undefined) {
    return [
      failure(
        'agents',
        'no DaemonSet of the agents was found',
        'kubectl apply -k deploy/, or helm install; docs/cli.md says how it is found',
      ),
    ];
  }
  const counted = `${workload.ready} of ${workload.wanted} ready`;
  const isWhole = workload.ready === workload.wanted && workload.wanted > 0;
  const remedy = `kubectl -n ${workload.namespace} describe daemonset ${workload.name}`;
  return [isWhole ? ok('agents', counted) : failure('agents', counted, remedy), ...partFindings(agents)];
};

const partFindings = (asked: readonly AgentFacts[]): readonly Finding[] => {
  const findings = asked.flatMap(({ pod, parts, unreachable }): Finding[] => {
    const place = pod.node === '' ? pod.name : `node ${pod.node}`;
    if (parts === undefined) {
      const detail = pod.isReady
        ? `does not answer through the API server: ${unreachable}`
        : `is ${pod.why || 'not ready'}`;
      const remedy = pod.isReady
        ? 'asking takes the right to get pods/proxy in its namespace'
        : `kubectl -n ${pod.namespace} describe pod ${pod.name}`;
      const level = pod.isReady ? unknown : failure;
      return [level(`${pod.component} of ${place}`, `${pod.name} ${detail}`, remedy)];
    }
    return Object.entries(parts)
      .filter(([, state]) => state !== 'ok')
      .map(([name, state]) => {
        const known = PARTS[name] ?? { check: name, remedy: `kubectl -n ${pod.namespace} logs ${pod.name}` };
        return failure(known.check, `${place}: ${state}`, known.remedy);
      });
  });
  const answered = asked.filter(({ parts }) => parts !== undefined);
  const well = answered.filter(({ parts }) => Object.values(parts ?? {}).every((state) => state === 'ok'));
  const names = [...new Set(answered.flatMap(({ parts }) => Object.keys(parts ?? {})))].map(
    (name) => PARTS[name]?.check ?? name,
  );
  if (answered.length === 0 || well.length < answered.length) return findings;
  return [...findings, ok(names.join(', '), `fine on ${well.length} of ${asked.length}`)];
};

const checkController = ({ installation: { controller }, controllers }: DoctorFacts): readonly Finding[] => {
  if (controller === undefined) return [ok('controller', 'not installed: only needed for virtual machines and claims')];
  const counted = `${controller.ready} of ${controller.wanted} ready`;
  const remedy = `kubectl -n ${controller.namespace} describe deployment ${controller.name}`;
  const isWhole = controller.ready >= controller.wanted;
  const level = controller.ready === 0 ? failure : warning;
  return [isWhole ? ok('controller', counted) : level('controller', counted, remedy), ...partFindings(controllers)];
};

const tagOf = (image: string): string => /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1] ?? image;

const checkVersions = ({ installation, agents, controllers, cliVersion }: DoctorFacts): readonly Finding[] => {
  const workloads = [installation.agents, installation.controller].filter(
    (each): each is Workload => each !== undefined,
  );
  const images = [...workloads.map(({ image }) => image), ...[...agents, ...controllers].map(({ pod }) => pod.image)];
  const tags = [...new Set(images.map(tagOf).filter((tag) => tag !== ''))];
  if (tags.length === 0) return [];
  if (tags.length > 1) {
    return [
      warning(
        'versions',
        `several at once: ${tags.join(', ')}`,
        'a roll-out is under way, or stuck: kubectl rollout status tells',
      ),
    ];
  }
  if (tags[0] === cliVersion) return [ok('versions', `${cliVersion} everywhere`)];
  return [
    warning(
      'versions',
      `the cluster runs ${tags[0]}, this program is ${cliVersion}`,
      'use the program of the same version',
    ),
  ];
};

const checkRights = ({ access }: DoctorFacts): Finding => {
  if (access === undefined) {
    return unknown(
      'rights of the agents',
      'you may not create SubjectAccessReviews',
      'ask an administrator to run this',
    );
  }
  const missing = access.filter(({ isAllowed }) => !isAllowed);
  if (missing.length === 0) return ok('rights of the agents', access.length === 0 ? 'nothing to check' : 'all there');
  return failure(
    'rights of the agents',
    `${missing[0]?.account} may not: ${missing.map(({ right }) => right).join(', ')}`,
    'apply deploy/rbac.yaml again',
  );
};

const SOON_MS = 7 * 24 * 3_600_000;

const checkWebhooks = ({ webhooks }: DoctorFacts, nowMs: number): readonly Finding[] => {
  if (webhooks === undefined) {
    return [
      unknown('webhook certificate', 'you may not read webhook configurations', 'ask an administrator to run this'),
    ];
  }
  if (webhooks.length === 0) return [ok('webhook certificate', 'no webhook is installed')];
  return webhooks.map(({ configuration, webhook, caBundle }): Finding => {
    const remedy =
      'the controller fills it in and renews it: is it running, and may it patch the configuration? kubectl logs of the controller tells';
    if (caBundle.trim() === '')
      return failure(
        'webhook certificate',
        `${configuration}, ${webhook}: no caBundle, so every call of it fails`,
        remedy,
      );
    const until = expiryOf(caBundle);
    if (until === undefined)
      return failure('webhook certificate', `${configuration}, ${webhook}: the caBundle is no certificate`, remedy);
    const date = new Date(until).toISOString().slice(0, 10);
    if (until < nowMs)
      return failure('webhook certificate', `${webhook}: trusted certificate expired on ${date}`, remedy);
    if (until - nowMs < SOON_MS)
      return warning('webhook certificate', `${webhook}: trusted certificate expires on ${date}`, remedy);
    return ok('webhook certificate', `${webhook}: trusted until ${date}`);
  });
};

/** Of several certificates in a bundle the one that holds longest counts: a rotation leaves the old one beside the new. */
const expiryOf = (bundle: string): number | undefined => {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const times = blocks.map((block) => Date.parse(new X509Certificate(block).validTo));
    return times.length === 0 ? undefined : Math.max(...times);
  } catch {
    return undefined;
  }
};

/** What agents say on their Node when something of the ledger needs a person. */
const LEDGER_COMPLAINTS: ReadonlySet<string> = new Set(['LedgerCorrupt', 'ReleaseFailing']);

const checkLedgers = ({ agents, nodeEvents }: DoctorFacts): readonly Finding[] => {
  const readable = agents.filter(({ ledger }) => ledger !== undefined);
  const held = readable.flatMap(({ ledger, pod }) => (ledger ?? []).map((entry) => ({ ...entry, node: pod.node })));
  const stuck = held.filter(({ isOrphan }) => isOrphan);
  const complaints = (nodeEvents ?? [])
    .filter(({ reason }) => LEDGER_COMPLAINTS.has(reason))
    .map(({ name, reason, message }) =>
      warning(
        'ledger',
        `node ${name}: ${reason}: ${message}`,
        reason === 'LedgerCorrupt'
          ? 'docs/ledger.md, "A corrupt file"'
          : 'docs/ledger.md says what to do when releasing keeps failing',
      ),
    );
  const orphans = stuck.map(({ node, namespace, pod, interface: name, network }) =>
    warning(
      'ledger',
      `node ${node}: ${name} on ${network} of ${namespace}/${pod}, which is gone, is not released yet`,
      'it is tried again and again; if it stays, kubectl logs of that agent has the complaint of the CNI plugin',
    ),
  );
  if (agents.length === 0) return complaints;
  if (readable.length < agents.length && orphans.length === 0) {
    const missing = agents.length - readable.length;
    return [
      unknown(
        'ledger',
        `${missing} of ${agents.length} agents cannot be asked for theirs`,
        'asking takes the right to get pods/proxy, and an agent of this version',
      ),
      ...complaints,
    ];
  }
  if (orphans.length + complaints.length > 0) return [...orphans, ...complaints];
  return [ok('ledger', `${held.length} hot-plugged interfaces, none of a pod that is gone`)];
};

/** The first few of many. */
const shown = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;

const checkHostLocal = ({ agents }: DoctorFacts): readonly Finding[] => {
  const check = 'host-local addresses';
  const asked = agents.flatMap(({ pod, addresses }) => (addresses === undefined ? [] : [{ pod, addresses }]));
  const leaked = asked.flatMap(({ pod, addresses }) => addresses.leaked.map((each) => ({ ...each, node: pod.node })));
  const silent = agents.length - asked.length;
  const findings: Finding[] = [];
  if (leaked.length > 0) {
    const places = leaked.map(({ node, network, address }) => `${address} of ${network} on node ${node}`);
    findings.push(
      warning(
        check,
        `${leaked.length} given out to sandboxes that do not exist: ${shown(places)}`,
        'each is a file /var/lib/cni/networks/NETWORK/ADDRESS on that node, whose first line is the sandbox; crictl pods lists those that there are; remove the file of one that there is not',
      ),
    );
  }
  if (silent > 0) {
    findings.push(
      unknown(
        check,
        `${silent} of ${agents.length} agents cannot be asked for those of their nodes`,
        'asking takes the right to get pods/proxy, and an agent of this version',
      ),
    );
  }
  if (findings.length > 0 || agents.length === 0) return findings;
  const reserved = asked.reduce((sum, { addresses }) => sum + addresses.reserved, 0);
  return [ok(check, `${reserved} given out, all to sandboxes that exist`)];
};

const checkWhereabouts = ({ allocations, pods }: DoctorFacts): readonly Finding[] => {
  if (allocations === undefined) return [];
  const check = 'whereabouts addresses';
  if (pods === undefined) return [unknown(check, 'you may not read all pods', 'ask an administrator to run this')];
  const present = new Set(pods.map(({ pod }) => String(pod.key)));
  const leaked = allocations.filter(({ podRef }) => !present.has(podRef));
  if (leaked.length === 0) return [ok(check, `${allocations.length} given out, all to pods that exist`)];
  const places = leaked.map(({ pool, offset, podRef }) => `${pool} +${offset} (${podRef || 'no pod'})`);
  return [
    warning(
      check,
      `${leaked.length} given out to pods that do not exist: ${shown(places)}`,
      "whereabouts' own reconciler returns them, by default once a day; if it does not run, edit the IPPool",
    ),
  ];
};

const checkInterfaces = ({ pods }: DoctorFacts): Finding => {
  if (pods === undefined)
    return unknown(
      'interfaces',
      'you may not read all pods',
      'kubectl dnet status -n NAMESPACE looks at one namespace',
    );
  const interfaces = pods.map(describePodNetworks).flatMap((item) => item.interfaces);
  const notReady = interfaces.filter(({ ready }) => ready === false);
  if (notReady.length === 0) return ok('interfaces', `${interfaces.length}, none reported as not ready`);
  const reasons = [...new Set(notReady.map(({ reason }) => reason ?? 'NotReady'))].join(', ');
  return warning(
    'interfaces',
    `${notReady.length} of ${interfaces.length} are not ready: ${reasons}`,
    'kubectl dnet status -A says which and why',
  );
};
