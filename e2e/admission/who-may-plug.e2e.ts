// Who may plug what, asked of the real API server: users, service accounts, every way to write the annotation, and all modes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../cluster/poll-until.ts';
import { plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { networksAnnotation, podSpec } from '../pods.ts';
import { setMode, turnAdmissionOff, turnAdmissionOn, webhookName } from './admission-gate.ts';

const story = withNamespace('admission', 171);
const { kubectl, namespace } = story;
const asAnna = ['--as=anna', '--as-group=dev', '-n', namespace];
let blue: Network;
let red: Network;

const role = (name: string, rules: readonly object[], subject: object) => [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name, namespace }, rules },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [subject],
  },
];
const dev = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'dev' };
const mayUse = (...resourceNames: string[]) => ({
  apiGroups: ['k8s.cni.cncf.io'],
  resources: ['network-attachment-definitions'],
  ...(resourceNames.length > 0 && { resourceNames }),
  verbs: ['use'],
});
const applyAll = async (objects: readonly object[]) => {
  for (const object of objects) await kubectl.apply(object);
};

const manifest = (name: string, annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, annotations },
  spec: podSpec(story.podImage, { node: story.node }),
});

/** Standard error and exit status of kubectl in Anna's name; nothing is stored. */
const tryCreate = async (annotations: Readonly<Record<string, string>>, user = asAnna) => {
  const file = JSON.stringify(manifest('tried', annotations));
  return await kubectl
    .run([...user, 'create', '--dry-run=server', '-f', '-'], file)
    .then((stdout) => ({ isAllowed: true, text: stdout }))
    .catch((error: Error) => ({ isAllowed: false, text: error.message }));
};
const tryAsAnna = (...args: string[]) => kubectl.try([...asAnna, ...args]);
const denied = (network: Network, user = 'anna') =>
  `admission webhook "${webhookName}" denied the request: user "${user}" may not use network ${network.fullName}: verb "use" on network-attachment-definitions.k8s.cni.cncf.io "${network.name}" in namespace "${namespace}" is needed`;

beforeAll(async () => {
  await turnAdmissionOn(kubectl, 'enforce');
  blue = await story.network(bridgeNetwork, 'blue');
  red = await story.network(bridgeNetwork, 'red');
  const pods = { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['create', 'get', 'patch', 'update'] };
  await applyAll(role('dev', [pods, mayUse('blue')], dev));
}, 300_000);
afterAll(() => turnAdmissionOff(kubectl), 300_000);

describe('a user', () => {
  it('without the right is refused with the exact reason, and with it allowed, when a pod is created', async () => {
    expect(await tryCreate({ [networksAnnotation]: 'red' })).toEqual({
      isAllowed: false,
      text: expect.stringContaining(denied(red)),
    });
    expect(await tryCreate({ [networksAnnotation]: 'blue' })).toMatchObject({ isAllowed: true });
  });

  it('is refused and allowed likewise when a network is plugged, and plugs what is allowed', async () => {
    const pod = await story.startPod('plug');
    const annotate = (value: string) =>
      tryAsAnna('annotate', 'pod', pod.name, '--overwrite', `${networksAnnotation}=${value}`);
    const refused = await annotate('red@r0');
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(denied(red))]);
    expect((await annotate('blue@b0')).exitCode).toBe(0);
    await story.expectInterfaces(pod, { b0: blue });
    // Whatever somebody else plugged may stay, and may be unplugged.
    await story.annotate(pod, 'blue@b0,red@r0');
    await story.expectInterfaces(pod, { b0: blue, r0: red });
    expect((await annotate('red@r0')).exitCode).toBe(0);
    await story.expectInterfaces(pod, { r0: red });
    expect((await tryAsAnna('annotate', 'pod', pod.name, `${networksAnnotation}-`)).exitCode).toBe(0);
    await story.expectInterfaces(pod, {});
    expect((await annotate('red@r0')).stderr).toContain(denied(red));
  });

  it('cannot go round by the status of the pod, nor by its default network', async () => {
    const pod = await story.startPod('round');
    const patch = JSON.stringify({ metadata: { annotations: { [networksAnnotation]: 'red@r0' } } });
    const byStatus = await tryAsAnna(
      'patch',
      'pod',
      pod.name,
      '--subresource=status',
      '--type=merge',
      '--patch',
      patch,
    );
    expect([byStatus.exitCode, byStatus.stderr]).toEqual([1, expect.stringContaining(denied(red))]);
    const byDefault = await tryCreate({ 'v1.multus-cni.io/default-network': red.fullName });
    expect(byDefault).toEqual({ isAllowed: false, text: expect.stringContaining(denied(red)) });
    const unqualified = await tryCreate({ 'v1.multus-cni.io/default-network': 'red' });
    expect(unqualified.text).toContain('may not use network kube-system/red');
  });

  it('who may edit a namespace may use its networks, and no others', async () => {
    await kubectl.run(['-n', namespace, 'create', 'rolebinding', 'bert', '--clusterrole=edit', '--user=bert']);
    const asBert = ['--as=bert', '-n', namespace];
    expect(await tryCreate({ [networksAnnotation]: 'red,blue' }, asBert)).toMatchObject({ isAllowed: true });
    const other = await tryCreate({ [networksAnnotation]: 'default/red' }, asBert);
    expect(other.text).toContain('user "bert" may not use network default/red');
  });

  it.each([
    ['[{"name":"blue"', 'k8s.v1.cni.cncf.io/networks: not valid JSON'],
    [
      'blue@much-too-long-a-name',
      'element 1: interface "much-too-long-a-name" is 20 bytes long; at most 15 are allowed',
    ],
    ['[{"name":"blue","mac":"nonsense"}]', 'element 1: mac "nonsense" is not a MAC address'],
    ['blue@a,blue@a', 'element 2: interface "a" is already used by element 1'],
  ])('who writes %j is told what is wrong', async (text, message) => {
    const { isAllowed, text: told } = await tryCreate({ [networksAnnotation]: text });
    expect([isAllowed, told]).toEqual([false, expect.stringContaining(message)]);
  });
});

it('a controller needs the right in its own name', async () => {
  const labels = { app: 'deployed' };
  await kubectl.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'deployed', namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [networksAnnotation]: 'blue@b0' } },
        spec: podSpec(story.podImage, { node: story.node }),
      },
    },
  });
  const account = 'system:serviceaccount:kube-system:replicaset-controller';
  const findMessage = async () => {
    const events = await kubectl.getJson<{ items: { message: string }[] }>([
      ...['-n', namespace, 'events', '--field-selector', 'involvedObject.kind=ReplicaSet,reason=FailedCreate'],
    ]);
    return events.items.find(({ message }) => message.includes(denied(blue, account)));
  };
  await pollUntil('the refusal as an event of the ReplicaSet', findMessage, { deadlineMs: plugDeadlineMs });
  const subject = { kind: 'ServiceAccount', name: 'replicaset-controller', namespace: 'kube-system' };
  await applyAll(role('replicasets', [mayUse()], subject));
  await kubectl.run(['-n', namespace, 'wait', 'deployment/deployed', '--for=condition=Available', '--timeout=90s']);
  await kubectl.run(['-n', namespace, 'delete', 'deployment', 'deployed', '--cascade=foreground', '--timeout=60s']);
});

describe('modes', () => {
  it('warn lets everything pass and says what enforce would refuse; off says nothing', async () => {
    const pod = await story.startPod('modes');
    const plug = (value: string) =>
      tryAsAnna('annotate', 'pod', pod.name, '--overwrite', '--dry-run=server', `${networksAnnotation}=${value}`);
    await setMode(kubectl, 'warn');
    // Connections to a replica that has just ended are used until it closes them.
    const warned = async () => {
      const answer = await plug('red@r0');
      return answer.exitCode === 0 ? answer.stderr : undefined;
    };
    const told = await pollUntil('the edit to pass', warned, { deadlineMs: plugDeadlineMs });
    expect(told).toContain(`Warning: dynamic-networks: user "anna" may not use network ${red.fullName}`);
    expect((await plug('[{')).stderr).toContain(
      'Warning: dynamic-networks: k8s.v1.cni.cncf.io/networks: not valid JSON',
    );
    expect((await plug('blue@b0')).stderr).toBe('');
    await setMode(kubectl, 'off');
    const silent = async () => ((await plug('red@r0')).stderr === '' ? true : undefined);
    await pollUntil('no warning', silent, { deadlineMs: plugDeadlineMs });
    expect((await plug('[{')).exitCode).toBe(0);
  }, 300_000);
});
