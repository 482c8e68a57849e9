// The rights that are shipped against the rights that are used, by the API server's own account of what was asked. Runs after all
// other files (e2e/vitest.config.ts), so that it sees what they made the product ask; what a single run of this file would not
// show it provokes itself.
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { thiefAgent } from '../agent-token.ts';
import { type AuditedRequest, readAuditLog, rightOf } from '../audit-log.ts';
import { explained } from '../expectations.ts';
import { hasAuditLog, withNamespace } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { bridgeNetwork } from '../networks.ts';

const story = withNamespace('rights', 84);
const target = inject('target');

/** Accounts of the product. `isAllUsed`: whether a run of the suite uses every right, so that an unused one is one too many. */
const accounts = [
  { account: 'dynamic-networks-agent', isAllUsed: true },
  // Which of its rights are used depends on the gates that are on.
  { account: 'dynamic-networks-controller', isAllUsed: false },
] as const;

type Rule = {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
};
type Role = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
};
type Binding = {
  readonly metadata: { readonly namespace?: string };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
};

/** `group/resource verb` of everything that bindings in the cluster give the account: what is installed, not what files say. */
const rightsOf = async (account: string): Promise<ReadonlySet<string>> => {
  const read = async <T>(kinds: string): Promise<readonly T[]> =>
    (await story.kubectl.getJson<{ items: readonly T[] }>([kinds, '--all-namespaces'])).items;
  const [roles, bindings] = await Promise.all([
    read<Role>('clusterroles,roles'),
    read<Binding>('clusterrolebindings,rolebindings'),
  ]);
  const own = bindings.filter(({ subjects = [] }) =>
    subjects.some(
      ({ kind, name, namespace }) => kind === 'ServiceAccount' && name === account && namespace === agentNamespace,
    ),
  );
  const bound = own.flatMap(({ roleRef, metadata }) =>
    roles.filter(
      (role) =>
        role.kind === roleRef.kind &&
        role.metadata.name === roleRef.name &&
        (role.kind === 'ClusterRole' || role.metadata.namespace === metadata.namespace),
    ),
  );
  return new Set(
    bound
      .flatMap(({ rules = [] }) => rules)
      .flatMap(({ apiGroups = [], resources = [], verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
        ),
      ),
  );
};

/** Every pod may ask these, by roles that Kubernetes itself gives to all. */
const isForEverybody = ({ objectRef }: AuditedRequest): boolean => objectRef?.resource === undefined;

const rightsUsedBy = async (account: string): Promise<ReadonlySet<string>> => {
  if (target.clusterState === undefined) throw new Error('no audit log');
  const username = `system:serviceaccount:${agentNamespace}:${account}`;
  const requests = (await readAuditLog(target.clusterState)).filter(
    (request) => request.user.username === username && request.userAgent !== thiefAgent && !isForEverybody(request),
  );
  return new Set(requests.map(rightOf));
};

/** What gates bring: stories turn them on and off, and one that uninstalls takes these rights away. */
const applyRightsOfGates = async (): Promise<void> => {
  const deploy = resolve(import.meta.dirname, '..', '..', 'deploy');
  for (const file of globSync('gates/*/*rbac.yaml', { cwd: deploy }))
    await story.kubectl.run(['apply', '--filename', resolve(deploy, file)]);
};

describe.skipIf(!hasAuditLog)('rights', () => {
  beforeAll(applyRightsOfGates);

  it('that are rarely used are used: a network that is missing, an event again, a sandbox that is replaced', async () => {
    const blue = await story.network(bridgeNetwork, 'blue');
    const pod = await story.startPod('web');
    await story.annotate(pod, 'blue@a0,missing@m0');
    await story.expectCondition(pod, 'False', 'NetworkNotFound');
    for (const text of ['', 'blue@a0', '', 'blue@a0']) {
      await story.annotate(pod, text);
      await story.expectInterfaces(pod, text === '' ? {} : { a0: blue });
    }
    const node = story.host(story.node);
    const [sandbox] = await node.sandboxes(pod.uid);
    await node.signalTask(sandbox?.id ?? '', 'SIGKILL');
    await explained(
      'the pod to have another sandbox',
      async () => {
        expect((await node.sandboxes(pod.uid))[0]?.id).not.toBe(sandbox?.id);
        return true;
      },
      60_000,
    );
    await story.expectInterfaces(pod, { a0: blue }, 60_000);
  });

  it.each(accounts)('of $account are what it uses', async ({ account, isAllUsed }) => {
    const shipped = await rightsOf(account);
    await explained(
      'used and shipped rights to be the same',
      async () => {
        const used = await rightsUsedBy(account);
        expect(
          [...used].filter((right) => !shipped.has(right)),
          'used, but not shipped',
        ).toEqual([]);
        if (isAllUsed)
          expect(
            [...shipped].filter((right) => !used.has(right)),
            'shipped, but not used',
          ).toEqual([]);
        return true;
      },
      30_000,
    );
    expect([...shipped].filter((right) => right.includes('*'))).toEqual([]);
  });
});
