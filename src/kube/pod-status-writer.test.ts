import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../embedded/api/api-server.ts';
import { podNamed } from '../embedded/api/test-client.ts';
import type { Pod } from '../model/pod.ts';
import { defaultEntry, entry } from '../model/test-builders.ts';
import { ApiClient } from './api-client.ts';
import { makeWritePodStatus, type PodStatusChange } from './pod-status-writer.ts';
import { viewPod } from './pod-view.ts';
import { kubeConfigOf } from './test-watch.ts';

const STATUS = 'k8s.v1.cni.cncf.io/network-status';
const now = new Date('2024-01-01T00:00:00.123Z');
const ref = { resource: 'pods', namespace: 'default', name: 'web' };
const written = '[{"name":"podnet","interface":"eth0","default":true,"dns":{}}]';
const isReady = { status: 'True', reason: 'AllReady', message: '' } as const;
const isWaiting = { status: 'False', reason: 'NetworkNotFound', message: 'net1: no' } as const;

let server: EmbeddedApiServer;
let client: ApiClient;
beforeEach(async () => {
  server = await startApiServer();
  client = new ApiClient(kubeConfigOf(server), { userAgent: 'test', requestTimeoutMs: 2000 });
  server.objects.create('pods', podNamed('web'));
  server.objects.modify(ref, (draft) => {
    draft.metadata.annotations = { [STATUS]: written, 'of/others': 'kept' };
    draft.status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  });
});
afterEach(async () => {
  await client.close();
  await server.stop();
});

const stored = () => server.objects.find(ref);
const seen = (): Pod => {
  const pod = viewPod(stored());
  if (pod === undefined) throw new Error('no such pod');
  return pod;
};
const write = (pod: Pod, change: PodStatusChange) =>
  makeWritePodStatus(client, () => now)(pod, change, AbortSignal.timeout(5000));
const conditions = () => stored()?.status?.['conditions'];

describe('one write', () => {
  it('sets status, reports and condition, touches nothing else, and returns the pod as it is now', async () => {
    const reports = [{ interface: 'net1', network: 'shop/blue', ready: true, since: '2024-01-01T00:00:00Z' }];
    const answer = await write(seen(), { entries: [defaultEntry, entry('blue@net1')], reports, condition: isReady });
    expect(server.calls.count('patch', 'pods')).toBe(1);
    expect(server.calls.all.at(-1)).toMatchObject({
      subresource: 'status',
      contentType: 'application/json-patch+json',
      url: expect.stringMatching(/\/status\?fieldValidation=Ignore$/),
    });
    expect(stored()?.metadata.annotations).toEqual({
      'of/others': 'kept',
      [STATUS]: expect.stringContaining('"interface": "net1"'),
      'dynamic-networks.io/interfaces': JSON.stringify(reports),
    });
    expect(conditions()).toEqual([
      { type: 'Ready', status: 'True' },
      { type: 'dynamic-networks.io/NetworksReady', ...isReady, lastTransitionTime: '2024-01-01T00:00:00Z' },
    ]);
    expect(viewPod(answer)).toEqual(seen());
  });

  it.each<[string, PodStatusChange, object[]]>([
    [
      'only entries',
      { entries: [] },
      [{ op: 'add', path: `/metadata/annotations/${STATUS.replace('/', '~1')}`, value: '[]' }],
    ],
    [
      'only reports',
      { reports: [] },
      [{ op: 'add', path: '/metadata/annotations/dynamic-networks.io~1interfaces', value: '[]' }],
    ],
    [
      'only the condition',
      { condition: isReady },
      [
        {
          op: 'add',
          path: '/status/conditions/-',
          value: { type: 'dynamic-networks.io/NetworksReady', ...isReady, lastTransitionTime: '2024-01-01T00:00:00Z' },
        },
      ],
    ],
  ])(
    'of %s is guarded by the uid and the status it is based on, and sends nothing more',
    async (_, change, operations) => {
      const bodies: unknown[] = [];
      const recorder = { json: async ({ body }: { body?: unknown }) => bodies.push(body) };
      await makeWritePodStatus(recorder, () => now)(seen(), change, AbortSignal.timeout(1000));
      expect(bodies).toEqual([
        [
          { op: 'test', path: '/metadata/uid', value: stored()?.metadata.uid },
          { op: 'test', path: `/metadata/annotations/${STATUS.replace('/', '~1')}`, value: written },
          ...operations,
        ],
      ]);
    },
  );

  it('of a pod without network-status is guarded by the uid alone', async () => {
    server.objects.modify(ref, (draft) => {
      draft.metadata.annotations = { 'of/others': 'kept' };
    });
    await write(seen(), { condition: isReady });
    expect(conditions()).toHaveLength(2);
  });

  it('that gives a pod its network-status is refused when anybody wrote meanwhile', async () => {
    server.objects.modify(ref, (draft) => {
      draft.metadata.annotations = { 'of/others': 'kept' };
    });
    const before = seen();
    server.objects.modify(ref, (draft) => {
      draft.metadata.annotations = { [STATUS]: written };
    });
    await expect(write(before, { entries: [defaultEntry] })).rejects.toMatchObject({ kind: 'stateChanged' });
    expect(stored()?.metadata.annotations).toEqual({ [STATUS]: written });
  });
});

describe('the condition', () => {
  it('is replaced at its place when its status changes, with a new time', async () => {
    await write(seen(), { condition: isWaiting });
    server.objects.modify(ref, (draft) => {
      draft.status = {
        ...draft.status,
        conditions: [...Object(draft.status)['conditions'], { type: 'Last', status: 'True' }],
      };
    });
    const later = makeWritePodStatus(client, () => new Date('2024-01-01T00:05:00Z'));
    await later(seen(), { condition: isReady }, AbortSignal.timeout(1000));
    expect(conditions()).toEqual([
      { type: 'Ready', status: 'True' },
      { type: 'dynamic-networks.io/NetworksReady', ...isReady, lastTransitionTime: '2024-01-01T00:05:00Z' },
      { type: 'Last', status: 'True' },
    ]);
  });

  it('keeps its time when only reason and message change', async () => {
    await write(seen(), { condition: isWaiting });
    const other = { status: 'False', reason: 'FailedAddingInterface', message: 'net1: still no' } as const;
    await makeWritePodStatus(client, () => new Date())(seen(), { condition: other }, AbortSignal.timeout(1000));
    expect(conditions()).toContainEqual({
      type: 'dynamic-networks.io/NetworksReady',
      ...other,
      lastTransitionTime: '2024-01-01T00:00:00Z',
    });
  });

  it('is not written over another one that took its place', async () => {
    await write(seen(), { condition: isWaiting });
    const before = seen();
    server.objects.modify(ref, (draft) => {
      draft.status = { ...draft.status, conditions: [...Object(draft.status)['conditions']].reverse() };
    });
    await expect(write(before, { condition: isReady })).rejects.toMatchObject({ kind: 'stateChanged' });
    expect(conditions()).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
});

describe('a write that cannot be made', () => {
  it.each<[string, string, () => void]>([
    [
      'somebody else wrote network-status',
      'stateChanged',
      () =>
        server.objects.modify(ref, (draft) => {
          draft.metadata.annotations = { [STATUS]: '[]' };
        }),
    ],
    [
      'network-status was removed',
      'stateChanged',
      () =>
        server.objects.modify(ref, (draft) => {
          draft.metadata.annotations = { other: 'x' };
        }),
    ],
    [
      'the pod is another one of that name',
      'stateChanged',
      () => {
        server.objects.remove(ref, { gracePeriodSeconds: 0 });
        server.objects.create('pods', {
          ...podNamed('web'),
          metadata: { name: 'web', namespace: 'default', annotations: { [STATUS]: written } },
        });
      },
    ],
    ['the pod is gone', 'objectGone', () => server.objects.remove(ref, { gracePeriodSeconds: 0 })],
    ['the agent may not write pods', 'apiRefused', () => server.faults.fail(403, { verb: 'patch' })],
    ['the token has expired', 'apiRefused', () => server.faults.rejectToken('embedded-admin')],
    ['somebody else wrote in between', 'stateChanged', () => server.faults.fail(409, { verb: 'patch' })],
    ['the API server is overloaded', 'apiUnreachable', () => server.faults.fail(429, { verb: 'patch' })],
    ['the API server fails', 'apiUnreachable', () => server.faults.fail(500, { verb: 'patch' })],
    ['the answer is lost', 'apiUnreachable', () => server.faults.failAfterActing({ answer: 'cut' })],
  ])('because %s is %s, with its cause', async (_, kind, happen) => {
    const pod = seen();
    happen();
    const before = stored()?.metadata.annotations;
    await expect(write(pod, { reports: [] })).rejects.toMatchObject({
      name: 'KnownError',
      kind,
      message: expect.stringContaining('status of pod default/web: '),
      cause: expect.any(Error),
    });
    if (kind === 'stateChanged') expect(stored()?.metadata.annotations).toEqual(before);
  });
});
