// The manifests against the program that they start: what they name must exist there, and nothing may be in them unused.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAllYaml, loadYaml } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import packageJson from '../package.json' with { type: 'json' };
import { agentFields } from '../src/config/agent-settings.ts';
import { envName, flagName, loadSettings } from '../src/config/load-settings.ts';
import { NETWORK_STATUS_ANNOTATION } from '../src/model/network-status.ts';
import { INTERFACES_ANNOTATION, READY_CONDITION } from '../src/model/pod.ts';
import { deviationsFromRestricted } from './pod-security.ts';

const directory = import.meta.dirname;
const read = (file: string): string => readFileSync(join(directory, file), 'utf8');

const kustomization = z
  .object({
    resources: z.array(z.string()),
    configMapGenerator: z.array(z.object({ name: z.string(), files: z.array(z.string()) })),
    images: z.array(z.object({ name: z.string(), newName: z.string(), newTag: z.string() })),
  })
  .parse(loadYaml(read('kustomization.yaml')));

const container = z.object({
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  livenessProbe: z.unknown(),
  readinessProbe: z.unknown(),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.unknown(),
  volumeMounts: z.array(
    z.object({
      name: z.string(),
      mountPath: z.string(),
      readOnly: z.optional(z.boolean()),
      mountPropagation: z.optional(z.string()),
    }),
  ),
});

const daemonSet = z
  .object({
    metadata: z.object({ namespace: z.string() }),
    spec: z.object({
      selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
      updateStrategy: z.unknown(),
      template: z.object({
        metadata: z.object({ labels: z.record(z.string(), z.string()) }),
        spec: z.looseObject({
          serviceAccountName: z.string(),
          terminationGracePeriodSeconds: z.number(),
          containers: z.tuple([container]),
          volumes: z.array(
            z.object({
              name: z.string(),
              hostPath: z.optional(z.object({ path: z.string(), type: z.string() })),
              configMap: z.optional(z.object({ name: z.string() })),
            }),
          ),
        }),
      }),
    }),
  })
  .parse(loadYaml(read('daemonset.yaml')));

const podSpec = daemonSet.spec.template.spec;
const [agent] = podSpec.containers;
const settingsFile = join(directory, 'agent-settings.yaml');
const identity = { nodeName: 'n', podNamespace: 'ns', podName: 'p', podUid: 'u' };
const settings = await loadSettings(agentFields, { flags: identity, env: {}, file: settingsFile });

describe('the kustomization', () => {
  it('uses every file of its folder', () => {
    const present = readdirSync(directory).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
    const files = kustomization.resources.filter((resource) => resource.endsWith('.yaml'));
    const used = [...files, ...kustomization.configMapGenerator.flatMap((generator) => generator.files)];
    expect(used.toSorted()).toEqual(present.toSorted());
  });

  it('names the image once, with the version of the package', () => {
    expect(kustomization.images).toEqual([
      { name: agent.image, newName: 'localhost/dynamic-networks', newTag: packageJson.version },
    ]);
    expect(read('Dockerfile')).toContain(`ARG VERSION=${packageJson.version}\n`);
  });

  it('never runs an image without a fixed version', () => {
    for (const file of readdirSync(directory).filter((name) => !name.endsWith('.ts') && name.includes('.'))) {
      expect(read(file), file).not.toMatch(/:latest|newTag: latest/);
    }
  });

  it('mounts the generated settings, in the file that the agent is told to read', () => {
    const [generated] = kustomization.configMapGenerator;
    const volume = podSpec.volumes.find(({ configMap }) => configMap?.name === generated?.name);
    const mount = agent.volumeMounts.find(({ name }) => name === volume?.name);
    expect(agent.args).toContain(`--config=${mount?.mountPath}/${generated?.files[0]}`);
  });
});

describe('settings', () => {
  it('of the file are known and allowed', () => {
    expect(settings).toMatchObject({ criSocket: '/host/run/containerd/containerd.sock', logLevel: 'info' });
  });

  it('given as flags or environment exist', () => {
    const names = Object.keys(agentFields);
    const flags = agent.args.filter((arg) => arg.startsWith('--')).map((arg) => arg.split('=')[0]);
    expect(['--config', ...names.map(flagName)]).toEqual(expect.arrayContaining(flags));
    const env = agent.env.map(({ name }) => name);
    expect(names.map(envName)).toEqual(expect.arrayContaining(env));
  });

  it('that have no default are given by the environment', () => {
    const required = Object.entries(agentFields).flatMap(([name, field]) =>
      field.default === undefined ? [envName(name)] : [],
    );
    expect(agent.env.map(({ name }) => name).toSorted()).toEqual(required.toSorted());
  });

  it('leave time to shut down before the kubelet kills', () => {
    expect(podSpec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(settings.shutdownTimeout + 5000);
  });

  it('listen where the probes and Prometheus look', () => {
    expect(agent.ports).toEqual([{ name: 'metrics', containerPort: settings.listen.port }]);
    expect(agent.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'metrics' } });
    expect(agent.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'metrics' } });
  });
});

describe('mounts of the node', () => {
  const hostPaths = podSpec.volumes.flatMap(({ name, hostPath }) => (hostPath ? [{ name, ...hostPath }] : []));
  const paths = [
    settings.criSocket,
    settings.multusSocket,
    settings.ledgerDir,
    settings.multusCacheDir,
    settings.hostLocalDir,
    settings.cniConfigDir,
    settings.networkConfigDir,
    settings.hostNetDir,
  ];
  const mountOf = (name: string) => agent.volumeMounts.find((mount) => mount.name === name);
  const isBelow = (path: string, mountPath: string | undefined) => `${path}/`.startsWith(`${mountPath}/`);

  it.each(hostPaths)('$path is there because a setting points into it', ({ name }) => {
    expect(paths.filter((path) => isBelow(path, mountOf(name)?.mountPath))).not.toEqual([]);
  });

  it.each(paths)('%s is reached through a mount', (path) => {
    expect(agent.volumeMounts.filter(({ mountPath }) => isBelow(path, mountPath))).toHaveLength(1);
  });

  it('are read-only, but for the ledger and the config that Multus is to find', () => {
    const writable = hostPaths.filter(({ name }) => mountOf(name)?.readOnly !== true).map(({ path }) => path);
    expect(writable).toEqual([settings.ledgerDir, settings.networkConfigDir]);
  });

  it('show sockets by a directory that outlives them, and let unmounts of the node through', () => {
    expect(hostPaths.find(({ name }) => name === 'run')).toEqual({ name: 'run', path: '/run', type: 'Directory' });
    expect(mountOf('run')).toMatchObject({ readOnly: true, mountPropagation: 'HostToContainer' });
  });

  it('that may be missing do not keep the agent from starting', () => {
    const required = hostPaths.filter(({ type }) => type !== 'DirectoryOrCreate').map(({ path }) => path);
    expect(required).toEqual(['/run', '/proc/1/net']);
  });
});

describe('the pod', () => {
  it('has no privilege but to be root', () => {
    expect(agent.securityContext).toEqual({
      runAsUser: 0,
      runAsGroup: 0,
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(podSpec).toMatchObject({ hostNetwork: false, enableServiceLinks: false });
    expect(podSpec).not.toHaveProperty('hostPID');
    expect(podSpec).not.toHaveProperty('hostIPC');
  });

  it('differs from the Pod Security level restricted by its mounts of the node and by being root, and by nothing else', () => {
    const volumes = ['run', 'ledger', 'multus-cache', 'host-local', 'cni-config', 'network-configs', 'host-net'];
    const whole = z
      .object({ spec: z.object({ template: z.object({ spec: z.unknown() }) }) })
      .parse(load(read('daemonset.yaml')));
    expect(deviationsFromRestricted(whole.spec.template.spec)).toEqual([
      ...volumes.map((name) => `volume ${name}: hostPath`),
      'container agent, runAsNonRoot: not true',
      'container agent, runAsUser: 0',
    ]);
  });

  it('is reached on its metrics port only, and only by who was let in', () => {
    expect(load(read('networkpolicy.yaml'))).toMatchObject({
      metadata: { namespace: daemonSet.metadata.namespace },
      spec: {
        podSelector: { matchLabels: daemonSet.spec.selector.matchLabels },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [{ namespaceSelector: { matchLabels: { 'dynamic-networks.io/reads-metrics': 'true' } } }],
            ports: [{ port: agent.ports[0]?.name }],
          },
        ],
      },
    });
  });

  it('runs on every Linux node, before others', () => {
    expect(podSpec).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ operator: 'Exists' }],
      priorityClassName: 'system-node-critical',
    });
    expect(daemonSet.spec.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } });
  });

  it('is found by its labels', () => {
    const { matchLabels } = daemonSet.spec.selector;
    expect(daemonSet.spec.template.metadata.labels).toMatchObject(matchLabels);
    expect(loadAllYaml(read('monitoring/podmonitor.yaml'))[0]).toMatchObject({
      metadata: { namespace: daemonSet.metadata.namespace },
      spec: { selector: { matchLabels }, podMetricsEndpoints: [{ port: 'metrics' }] },
    });
  });

  it('has more memory than the heap that the image allows', () => {
    const heapMiB = Number(/--max-old-space-size=(\d+)/.exec(read('Dockerfile'))?.[1]);
    const limitMiB = Number(/^(\d+)Mi$/.exec(agent.resources.limits.memory)?.[1]);
    expect(limitMiB).toBeGreaterThan(heapMiB + 64);
  });
});

describe('rights', () => {
  const rule = z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) });
  const [role, binding] = loadAllYaml(read('rbac.yaml'));

  it('are the requests that the agent makes, and no more', () => {
    const { rules } = z.object({ rules: z.array(rule) }).parse(role);
    const granted = rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.map((resource) => [`${group}/${resource}`, verbs.join(' ')])),
    );
    expect(granted).toEqual([
      ['/pods', 'get list watch'],
      ['/pods/status', 'patch'],
      ['k8s.cni.cncf.io/network-attachment-definitions', 'get list watch'],
      ['/events', 'create patch'],
    ]);
  });

  it("are given to the agent's account alone", () => {
    expect(binding).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'dynamic-networks-agent' },
      subjects: [{ kind: 'ServiceAccount', name: podSpec.serviceAccountName, namespace: 'dynamic-networks' }],
    });
    expect(loadYaml(read('serviceaccount.yaml'))).toMatchObject({
      metadata: { name: podSpec.serviceAccountName, namespace: daemonSet.metadata.namespace },
      automountServiceAccountToken: false,
    });
  });
});

describe('the confinement of tokens', () => {
  const policy = z.object({
    kind: z.literal('ValidatingAdmissionPolicy'),
    metadata: z.object({ name: z.string() }),
    spec: z.object({
      failurePolicy: z.literal('Fail'),
      matchConditions: z.array(z.object({ expression: z.string() })),
      variables: z.array(z.object({ name: z.string(), expression: z.string() })),
      validations: z.array(z.object({ reason: z.string() })),
    }),
  });
  const documents = loadAllYaml(read('agent-confinement.yaml'));
  const policies = documents.flatMap((document) => policy.safeParse(document).data ?? []);

  it('is bound, and refuses instead of only telling', () => {
    const bindings = documents.filter((document) => !policy.safeParse(document).success);
    expect(policies).toHaveLength(2);
    expect(bindings).toEqual(
      policies.map(({ metadata }) => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: metadata.name },
        spec: { policyName: metadata.name, validationActions: ['Deny'] },
      })),
    );
  });

  it("is of the agent's account", () => {
    const account = `system:serviceaccount:${daemonSet.metadata.namespace}:${podSpec.serviceAccountName}`;
    const expected = [{ expression: `request.userInfo.username == '${account}'` }];
    expect(policies.map(({ spec }) => spec.matchConditions)).toEqual(policies.map(() => expected));
  });

  it('allows the fields that the agent writes', () => {
    const variables = policies.flatMap(({ spec }) => spec.variables);
    const expressionOf = (name: string) => variables.find((variable) => variable.name === name)?.expression;
    expect(expressionOf('ownAnnotations')).toBe(`['${NETWORK_STATUS_ANNOTATION}', '${INTERFACES_ANNOTATION}']`);
    expect(expressionOf('ownCondition')).toBe(`'${READY_CONDITION}'`);
  });

  it('answers with a refusal, not with the code by which the agent knows that somebody else wrote meanwhile', () => {
    const reasons = policies.flatMap(({ spec }) => spec.validations.map(({ reason }) => reason));
    expect(new Set(reasons)).toEqual(new Set(['Forbidden']));
  });
});

it('no Role names an object that is called like a generated ConfigMap: kustomize would put the hash into that name, too', () => {
  const files = globSync('**/*.yaml', { cwd: directory }).filter((file) => !file.startsWith('chart/'));
  const generated = files
    .filter((file) => file.endsWith('kustomization.yaml'))
    .flatMap((file) =>
      [...read(file).matchAll(/^configMapGenerator:\n(?:.*\n)*?\s+- name: (\S+)/gm)].map(([, name]) => name),
    );
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/resourceNames: \[([^\]]*)\]/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
  );
  expect(generated).toContain('dynamic-networks-controller-settings');
  expect(named).toContain('dynamic-networks-controller');
  expect(named.filter((name) => generated.includes(name))).toEqual([]);
});
