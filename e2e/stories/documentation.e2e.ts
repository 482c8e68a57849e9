// What the README and the pages of docs/ tell people to type, typed on a real cluster, as it stands there. The list is in
// docs/known-commands.ts; that it has every such command is docs/docs.test.ts' business.
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runOnRealCluster } from '../../docs/known-commands.ts';
import { tryCommand } from '../cluster/run-command.ts';
import { withNamespace } from '../fixture.ts';
import { agentNamespace, agentSelector } from '../install-agent.ts';

const root = resolve(import.meta.dirname, '../..');
const story = withNamespace('docs', 10);
const { kubectlPath } = inject('target');
let home: string;
let agent: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dn-docs-'));
  // As a person has it: kubectl on the PATH, and a context whose namespace is theirs.
  await symlink(kubectlPath, join(home, 'kubectl'));
  const text = await story.kubectl.run(['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']);
  const config: { contexts: { context: object }[] } = JSON.parse(text);
  const contexts = config.contexts.map(({ context, ...rest }) => ({
    ...rest,
    context: { ...context, namespace: story.namespace },
  }));
  await writeFile(join(home, 'config'), JSON.stringify({ ...config, contexts }));
  await chmod(join(home, 'config'), 0o600);
  const agents = await story.kubectl.run([
    ...['-n', agentNamespace, 'get', 'pods', '-l', agentSelector, '--field-selector', `spec.nodeName=${story.node}`],
    ...['-o', 'name'],
  ]);
  agent = agents.trim().replace('pod/', '');
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Names of this cluster for those that the documentation leaves open. */
const onThisCluster = (command: string): string =>
  command
    .replaceAll('/usr/local/bin', home)
    .replaceAll('busybox', story.podImage)
    .replaceAll(/<pod>|<agent>/g, agent)
    .replaceAll('<node>', story.node)
    .replaceAll(/\bPOD\b/g, 'web')
    .replaceAll(/-n (?:net|shop) /g, `-n ${story.namespace} `);

describe('the documentation', () => {
  it.each(runOnRealCluster.map((command) => ({ command })))('$command', async ({ command }) => {
    const PATH = [home, dirname(process.execPath), process.env['PATH']].join(':');
    const env = { PATH, HOME: home, KUBECONFIG: join(home, 'config') };
    const { exitCode, stdout, stderr } = await tryCommand(['bash', '-c', onThisCluster(command)], { cwd: root, env });
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
  });
});
