// Whoever has the token of one node's agent: what deploy/agent-confinement.yaml leaves to them. Tokens are made as the kubelet
// asks for them; the pods ask for no networks, so the agents themselves leave them alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Call, stealToken, type Thief } from '../agent-token.ts';
import { hasTwoNodes, withNamespace } from '../fixture.ts';
import { networksAnnotation, type PodRef, readyCondition, reportsAnnotation, statusAnnotation } from '../pods.ts';

const story = withNamespace('token', 80);

let thief: Thief;
let own: PodRef;
let foreign: PodRef;

beforeAll(async () => {
  thief = await stealToken(story.kubectl, await story.agentPod(story.node));
  [own, foreign] = await Promise.all([
    story.startPod('own', { labels: { team: 'a' } }),
    story.startPod('foreign', { node: story.otherNode }),
  ]);
});

type Operation = { readonly op: string; readonly path: string; readonly value?: unknown };
const pointer = (key: string): string => `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const annotate = (key: string, value: string): Operation => ({ op: 'add', path: pointer(key), value });

const podPath = (pod: PodRef): string => `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`;
const patch = (path: string, operations: readonly Operation[]): Call => ({
  method: 'PATCH',
  path,
  body: operations,
  contentType: 'application/json-patch+json',
});
const patchStatus = (pod: PodRef, operations: readonly Operation[]): Call =>
  patch(`${podPath(pod)}/status`, operations);

const report = '[]';
const condition = {
  type: readyCondition,
  status: 'True',
  reason: 'AllReady',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

/** A refusal that changed something is none: the pod is compared with what it was. */
const expectRefused = async (pod: PodRef, call: Call, why: RegExp, who = thief): Promise<void> => {
  const before = await story.getPod(pod);
  const answer = await who(call);
  expect(answer.message).toMatch(why);
  expect(answer.status).toBe(403);
  expect(await story.getPod(pod)).toEqual(before);
};

describe('a stolen token of an agent', () => {
  it('does what the agent does, on a pod of its own node', async () => {
    const before = await story.getPod(own);
    const status = before.metadata.annotations?.[statusAnnotation] ?? '';
    const answer = await thief(
      patchStatus(own, [
        { op: 'test', path: '/metadata/uid', value: own.uid },
        annotate(statusAnnotation, status),
        annotate(reportsAnnotation, report),
        { op: 'add', path: '/status/conditions/-', value: condition },
      ]),
    );
    expect(answer.status, answer.message).toBe(200);
    const after = await story.getPod(own);
    expect(after.metadata.annotations).toMatchObject({ [statusAnnotation]: status, [reportsAnnotation]: report });
    expect(after.status.conditions?.slice(0, -1)).toEqual(before.status.conditions);
    expect(after.status.conditions?.at(-1)).toMatchObject({ type: readyCondition, status: 'True' });
  });

  it.skipIf(!hasTwoNodes)('writes nothing of a pod on another node', async () => {
    const why = new RegExp(`agent on node ${story.node} is not good for a pod of node ${story.otherNode}`);
    await expectRefused(foreign, patchStatus(foreign, [annotate(reportsAnnotation, report)]), why);
    // The very same is right for the agent of that node.
    const other = await stealToken(story.kubectl, await story.agentPod(story.otherNode));
    expect((await other(patchStatus(foreign, [annotate(reportsAnnotation, report)]))).status).toBe(200);
  });

  it.each<[string, readonly Operation[], RegExp]>([
    [
      'labels',
      [{ op: 'add', path: '/metadata/labels/team', value: 'b' }],
      /metadata the agent changes annotations only/,
    ],
    ['finalizers', [{ op: 'add', path: '/metadata/finalizers', value: ['x.io/held'] }], /metadata the agent changes/],
    ['the networks annotation', [annotate(networksAnnotation, 'blue')], /annotations the agent changes these/],
    ['an annotation of somebody else', [annotate('example.org/note', 'x')], /annotations the agent changes these/],
    [
      'the phase',
      [{ op: 'replace', path: '/status/phase', value: 'Failed' }],
      /status the agent changes conditions only/,
    ],
    [
      'the address',
      [
        { op: 'replace', path: '/status/podIP', value: '10.9.9.9' },
        { op: 'replace', path: '/status/podIPs', value: [{ ip: '10.9.9.9' }] },
      ],
      /status the agent changes conditions only/,
    ],
    [
      'a new status field',
      [{ op: 'add', path: '/status/reason', value: 'Evicted' }],
      /status the agent changes conditions/,
    ],
    [
      'a condition that is not its own',
      [{ op: 'add', path: '/status/conditions/-', value: { ...condition, type: 'DisruptionTarget' } }],
      /conditions the agent changes this only/,
    ],
    ["the kubelet's conditions", [{ op: 'remove', path: '/status/conditions/0' }], /conditions the agent changes this/],
    [
      'its own condition into two',
      [1, 2].map((): Operation => ({ op: 'add', path: '/status/conditions/-', value: condition })),
      /conditions the agent changes this only/,
    ],
  ])('does not change %s, not even on its own node', (_, operations, why) =>
    expectRefused(own, patchStatus(own, operations), why),
  );

  it('does not remove what others annotated', async () => {
    await story.kubectl.run(['-n', own.namespace, 'annotate', 'pod', own.name, 'example.org/kept=yes']);
    const removal = patchStatus(own, [{ op: 'remove', path: pointer('example.org/kept') }]);
    await expectRefused(own, removal, /annotations the agent changes these/);
  });

  it('changes no specification: not of the pod, and through the status the API server puts it back', async () => {
    const image: Operation = { op: 'replace', path: '/spec/containers/0/image', value: 'evil.example/image' };
    await expectRefused(own, patch(podPath(own), [image]), /cannot patch resource "pods"/);
    const before = await story.getPod(own);
    expect((await thief(patchStatus(own, [image]))).status).toBe(200);
    expect((await story.getPod(own)).spec).toEqual(before.spec);
  });

  it.each<[string, (pod: PodRef) => Call]>([
    ['delete a pod', (pod) => ({ method: 'DELETE', path: podPath(pod) })],
    ['make a pod', ({ namespace }) => ({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body: {} })],
    ['run a command in a pod', (pod) => ({ method: 'POST', path: `${podPath(pod)}/exec?command=true&stdout=true` })],
    ['bind a pod', (pod) => ({ method: 'POST', path: `${podPath(pod)}/binding`, body: {} })],
    ['read secrets', ({ namespace }) => ({ method: 'GET', path: `/api/v1/namespaces/${namespace}/secrets` })],
    ['read nodes', () => ({ method: 'GET', path: '/api/v1/nodes' })],
    [
      'make tokens',
      ({ namespace }) => ({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
        body: {},
      }),
    ],
    [
      'remove networks',
      ({ namespace }) => ({
        method: 'DELETE',
        path: `/apis/k8s.cni.cncf.io/v1/namespaces/${namespace}/network-attachment-definitions`,
      }),
    ],
    ['remove events', ({ namespace }) => ({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/events` })],
  ])('has no right to %s', (_, call) => expectRefused(own, call(own), /cannot \w+ resource/));

  const eventsPath = `/api/v1/namespaces/${story.namespace}/events`;
  const event = (name: string, changes: object = {}): object => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: story.namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: story.namespace, name: 'own', uid: own.uid },
    reason: 'AddedInterface',
    message: 'made by a test',
    type: 'Normal',
    count: 1,
    source: { component: 'dynamic-networks', host: story.node },
    reportingComponent: 'dynamic-networks',
    reportingInstance: story.node,
    ...changes,
  });
  const create = (body: object, path = eventsPath): Promise<Answer> => thief({ method: 'POST', path, body });
  const change = (name: string, body: object): Promise<Answer> =>
    thief({ method: 'PATCH', path: `${eventsPath}/${name}`, body, contentType: 'application/merge-patch+json' });

  it('writes events as the agent does, and counts them', async () => {
    expect((await create(event('mine'))).status).toBe(201);
    expect((await change('mine', { count: 2, lastTimestamp: '2026-01-01T00:00:00Z' })).status).toBe(200);
  });

  it.each<[string, object, RegExp]>([
    ['in the name of the kubelet', { source: { component: 'kubelet' } }, /names its component and its own node/],
    [
      "in the name of another node's agent",
      { source: { component: 'dynamic-networks', host: 'elsewhere' }, reportingInstance: 'elsewhere' },
      /names its component and its own node/,
    ],
    [
      'about other kinds of objects',
      { involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: story.namespace, name: 'd' } },
      /about a pod, or about its own node/,
    ],
  ])('writes no events %s', async (_, changes, why) => {
    expect(await create(event('forged', changes))).toMatchObject({ status: 403, message: expect.stringMatching(why) });
  });

  it('writes events about its own node, and about no other', async () => {
    const about = (name: string, node: string): Promise<Answer> => {
      const involvedObject = { apiVersion: 'v1', kind: 'Node', name: node, uid: node };
      const metadata = { generateName: `${name}-`, namespace: 'default' };
      return create(event(name, { metadata, involvedObject }), '/api/v1/namespaces/default/events');
    };
    expect(await about('own-node', story.node)).toMatchObject({ status: 201 });
    expect(await about('other-node', 'elsewhere')).toMatchObject({
      status: 403,
      message: expect.stringMatching(/about a pod, or about its own node/),
    });
  });

  it('rewrites no event, neither its own nor one of others', async () => {
    await story.kubectl.apply(event('of-kubelet', { source: { component: 'kubelet', host: story.node } }));
    await create(event('to-rewrite'));
    const forged = { message: 'forged' };
    expect(await change('to-rewrite', forged)).toMatchObject({
      status: 403,
      message: expect.stringMatching(/count and the last time only/),
    });
    expect((await change('of-kubelet', { count: 3 })).message).toMatch(/names its component and its own node/);
    expect((await change('of-kubelet', event('of-kubelet'))).message).toMatch(/count and the last time only/);
  });

  it('that is bound to no node changes nothing at all', async () => {
    const unbound = await stealToken(story.kubectl, undefined);
    const attempt = patchStatus(own, [annotate(reportsAnnotation, '[1]')]);
    await expectRefused(own, attempt, /token is bound to no node/, unbound);
  });

  it('is confined by policies that the API server understood without a warning', async () => {
    type Policy = {
      readonly metadata: { readonly generation: number };
      readonly status?: { readonly observedGeneration?: number; readonly typeChecking?: object };
    };
    for (const name of ['dynamic-networks-agent-pods', 'dynamic-networks-agent-events']) {
      const { metadata, status } = await story.kubectl.getJson<Policy>(['validatingadmissionpolicy', name]);
      expect(status?.observedGeneration, name).toBe(metadata.generation);
      expect(status?.typeChecking ?? {}, name).toEqual({});
    }
  });
});
