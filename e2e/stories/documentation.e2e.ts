// What the README and the pages of docs/ tell people to type, typed on a real cluster, as it stands there. The list is in
// docs/known-commands.ts; that it has every such command is docs/docs.test.ts' business.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeReferenceController } from '../../bench/real/reference-controller.ts';
import { documented, runOnRealCluster } from '../../docs/known-commands.ts';
import { pollUntil } from '../cluster/poll-until.ts';
import { explained } from '../expectations.ts';
import { makeAgents } from '../faults/agents.ts';
import { plugDeadlineMs, podDeadlineMs, withNamespace } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { attachNodes, makeNodeExec } from '../node-exec.ts';
import { makePerson, type Person } from '../person.ts';
import { refOf } from '../pods.ts';

const story = withNamespace('docs', 10);
const { kubectl } = story;
const target = inject('target');
let person: Person;
let agent: string;

type AgentStatus = {
  readonly status: {
    readonly containerStatuses: readonly {
      readonly ready: boolean;
      readonly restartCount: number;
      readonly state: { readonly running?: { readonly startedAt: string } };
    }[];
  };
};
const agentStatus = async () => {
  const { status } = await kubectl.getJson<AgentStatus>(['-n', agentNamespace, 'pod', agent]);
  const [container] = status.containerStatuses;
  if (container === undefined) throw new Error(`no status of the container of ${agent}`);
  return container;
};

/** So that there is a log of the one before; another story may have seen to that already. */
const restartAgent = async (): Promise<void> => {
  const previous = await kubectl.try(['-n', agentNamespace, 'logs', agent, '--previous', '--tail=1']);
  if (previous.exitCode === 0) return;
  const { restartCount: before } = await agentStatus();
  const nodeExec = makeNodeExec(target, await attachNodes(target));
  expect(await makeAgents({ kubectl, nodeExec, nodeNames: target.nodeNames }).kill([story.node])).toBe(1);
  const isBack = async () => {
    const { ready, restartCount } = await agentStatus();
    return ready && restartCount > before ? true : undefined;
  };
  await pollUntil('the agent to be restarted', isBack, { deadlineMs: podDeadlineMs });
};

beforeAll(async () => {
  person = await makePerson({ kubectl, namespace: story.namespace });
  agent = (await story.agentPod(story.node)).name;
  await Promise.all([person.types('npm run build'), restartAgent()]);
});
afterAll(() => person.leaves());

/** Names of this cluster for those that the documentation leaves open. */
const onThisCluster = (command: string): string =>
  command
    .replaceAll('/usr/local/bin', person.home)
    .replaceAll('busybox', story.podImage)
    .replaceAll(/<pod>|<agent>/g, agent)
    .replaceAll('<node>', story.node)
    .replaceAll(/\bPOD\b/g, 'web')
    .replaceAll('namespace: default', `namespace: ${story.namespace}`)
    .replaceAll(/-n (?:net|shop) /g, `-n ${story.namespace} `);

const linksOfWeb = async (): Promise<readonly string[]> =>
  (await story.links(refOf(await story.getPod({ name: 'web' })))).map(({ ifname }) => ifname).toSorted();
const expectLinks = (...names: readonly string[]) =>
  explained(
    `web to have ${names}`,
    async () => {
      expect(await linksOfWeb()).toEqual(names);
      return true;
    },
    plugDeadlineMs,
  );

type Judge = (said: string) => unknown;
/** What is to be seen besides that a command ends well. */
const judges: Readonly<Partial<Record<(typeof runOnRealCluster)[number], Judge>>> = {
  'kubectl dnet plug web blue --interface blue0 --wait': () => expectLinks('blue0', 'eth0'),
  'kubectl exec web -- ip address show blue0': (said) => expect(said).toContain('inet 10.10.1.'),
  'kubectl -n dynamic-networks logs <pod> --previous': async (said) => {
    const lines: { role: string; time: string }[] = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(lines.map(({ role }) => role))).toEqual(new Set(['agent']));
    const { state } = await agentStatus();
    expect(Date.parse(lines.at(-1)?.time ?? '')).toBeLessThan(Date.parse(state.running?.startedAt ?? '') + 1000);
  },
  'kubectl auth can-i patch pods --subresource=status --as system:serviceaccount:dynamic-networks:dynamic-networks-agent -A':
    (said) => expect(said).toBe('yes\n'),
  'kubectl dnet unplug web blue0 --wait': () => expectLinks('eth0'),
  [`kubectl annotate pod web --overwrite k8s.v1.cni.cncf.io/networks='[{"name":"node-network","interface":"lan0"}]'`]:
    () => expectLinks('eth0', 'lan0'),
  'kubectl annotate pod web k8s.v1.cni.cncf.io/networks-': () => expectLinks('eth0'),
};

describe('the documentation', () => {
  it.each(runOnRealCluster.map((command) => ({ command })))('$command', async ({ command }) => {
    const said = await person.types(onThisCluster(command));
    await judges[command]?.(said);
  });

  it(documented.untilTerm, async () => {
    const it = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'it' } };
    await writeFile(join(person.home, 'it.yaml'), JSON.stringify(it));
    const find = ['-n', story.namespace, 'get', 'configmap/it', '--ignore-not-found', '-o', 'name'];
    const { start, stop } = makeReferenceController({
      command: documented.untilTerm,
      env: person.env,
      cwd: person.home,
    });
    await start(async () => {
      await pollUntil('it to wait', async () => isAsleepIn(person.home), { deadlineMs: plugDeadlineMs });
    });
    expect(await kubectl.run(find)).toBe('configmap/it\n');
    await stop();
    expect(await kubectl.run(find)).toBe('');
  });
});

const isAsleepIn = (dir: string): true | undefined =>
  readdirSync('/proc').some((pid) => {
    try {
      const isThere = readlinkSync(`/proc/${pid}/cwd`) === dir;
      return isThere && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\0infinity\0';
    } catch {
      // No process, or one that has ended meanwhile.
      return false;
    }
  }) || undefined;
