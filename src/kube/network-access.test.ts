import { describe, expect, it } from 'vitest';
import { networkName } from '../model/keys.ts';
import type { ApiRequest } from './api-client.ts';
import { NetworkAccess } from './network-access.ts';

const blue = networkName('default', 'blue');
const anna = { username: 'anna', uid: 'u1', groups: ['dev', 'system:authenticated'], extra: { scopes: ['x'] } };
const never = new AbortController().signal;

const makeWorld = (rememberMs = 10_000) => {
  const asked: ApiRequest[] = [];
  const outcomes: string[] = [];
  const world = {
    asked,
    outcomes,
    now: 1000,
    answer: async (): Promise<unknown> => ({ status: { allowed: true } }),
  };
  const access = new NetworkAccess({
    client: {
      json: (request) => {
        asked.push(request);
        return world.answer();
      },
    },
    rememberMs,
    now: () => world.now,
    onAsked: (outcome) => outcomes.push(outcome),
  });
  return { world, access };
};

describe('the question', () => {
  it('names the user with groups, uid and extra, and the network as the object of the verb use', async () => {
    const { world, access } = makeWorld();
    expect(await access.mayUse(anna, blue, never)).toEqual({ isAllowed: true });
    expect(world.asked.map(({ path, body }) => [path, body])).toEqual([
      [
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: 'anna',
            uid: 'u1',
            groups: ['dev', 'system:authenticated'],
            extra: { scopes: ['x'] },
            resourceAttributes: {
              namespace: 'default',
              verb: 'use',
              group: 'k8s.cni.cncf.io',
              version: 'v1',
              resource: 'network-attachment-definitions',
              name: 'blue',
            },
          },
        },
      ],
    ]);
  });
});

describe('the answer', () => {
  it.each([
    [{ allowed: false }, { isAllowed: false }],
    [
      { allowed: false, reason: 'no rule' },
      { isAllowed: false, detail: 'no rule' },
    ],
    [
      { allowed: false, denied: true, reason: '', evaluationError: 'oops' },
      { isAllowed: false, detail: 'oops' },
    ],
    [
      { allowed: true, reason: 'RBAC: allowed by …' },
      { isAllowed: true, detail: 'RBAC: allowed by …' },
    ],
  ])('%j is %j', async (status, expected) => {
    const { world, access } = makeWorld();
    world.answer = async () => ({ status });
    expect(await access.mayUse(anna, blue, never)).toEqual(expected);
  });

  it('without a status is no answer', async () => {
    const { world, access } = makeWorld();
    world.answer = async () => ({});
    await expect(access.mayUse(anna, blue, never)).rejects.toMatchObject({ kind: 'apiUnreachable' });
  });
});

describe('memory', () => {
  it('holds for a while, and no longer', async () => {
    const { world, access } = makeWorld();
    await access.mayUse(anna, blue, never);
    world.now = 10_999;
    await access.mayUse(anna, blue, never);
    expect(world.asked).toHaveLength(1);
    world.now = 11_001;
    world.answer = async () => ({ status: { allowed: false } });
    expect(await access.mayUse(anna, blue, never)).toEqual({ isAllowed: false });
  });

  it.each([
    ['another network', anna, networkName('default', 'red')],
    ['another group', { ...anna, groups: ['dev'] }, blue],
    ['another extra', { ...anna, extra: {} }, blue],
    ['another user', { ...anna, username: 'bert' }, blue],
    ['another uid of the name', { ...anna, uid: 'u2' }, blue],
  ])('is not mixed up with %s', async (_, user, network) => {
    const { world, access } = makeWorld();
    await access.mayUse(anna, blue, never);
    await access.mayUse(user, network, never);
    expect(world.asked).toHaveLength(2);
  });

  it('of no length remembers nothing', async () => {
    const { world, access } = makeWorld(0);
    await access.mayUse(anna, blue, never);
    await access.mayUse(anna, blue, never);
    expect(world.asked).toHaveLength(2);
  });

  it('forgets failures', async () => {
    const { world, access } = makeWorld();
    world.answer = () => Promise.reject(new Error('connection refused'));
    await expect(access.mayUse(anna, blue, never)).rejects.toThrow(
      'does not answer an access review: connection refused',
    );
    world.answer = async () => ({ status: { allowed: true } });
    expect(await access.mayUse(anna, blue, never)).toEqual({ isAllowed: true });
    expect(world.outcomes).toEqual(['error', 'allowed']);
  });
});

describe('many at once', () => {
  it('ask once, and one who gives up takes nothing from the others', async () => {
    const { world, access } = makeWorld();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    world.answer = () => promise;
    const impatient = new AbortController();
    const first = access.mayUse(anna, blue, impatient.signal);
    const others = [1, 2, 3].map(() => access.mayUse(anna, blue, never));
    impatient.abort(new Error('too late'));
    await expect(first).rejects.toThrow('too late');
    resolve({ status: { allowed: true } });
    expect(await Promise.all(others)).toEqual([1, 2, 3].map(() => ({ isAllowed: true })));
    expect(world.asked).toHaveLength(1);
  });
});
