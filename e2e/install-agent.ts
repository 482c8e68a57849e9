// `kubectl apply -k` of what is shipped in deploy/, through an overlay that changes only the image and what tests cannot wait
// for.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pollUntil } from './cluster/poll-until.ts';
import { step } from './cluster/progress.ts';
import type { Kubectl } from './target.ts';

export const agentNamespace = 'dynamic-networks';
export const agentDaemonSet = 'dynamic-networks-agent';
/** Of the agents' pods: the controller's are in the same namespace. */
export const agentSelector = 'app.kubernetes.io/component=agent';
export const controllerDeployment = 'dynamic-networks-controller';
/** The suite's own installation, as the global setup wrote it. */
export const suiteOverlayDir = resolve(import.meta.dirname, 'artifacts', 'install');

const shipped = resolve(import.meta.dirname, '..', 'deploy');
export const shippedImage = 'localhost/dynamic-networks';
const rolloutDeadlineSeconds = 180;

type Changes = Readonly<Record<string, string>>;

/** A vanished interface is to be noticed within a test, not within ten minutes. */
export const testSettings: Changes = { checkInterval: '5s' };

type Patch = { readonly target: { readonly kind: string; readonly name: string }; readonly patch: string };

const readyEverySecond = {
  op: 'replace',
  path: '/spec/template/spec/containers/0/readinessProbe/periodSeconds',
  value: 1,
};
const allAtOnce = { op: 'add', path: '/spec/strategy', value: { rollingUpdate: { maxSurge: '100%' } } };

/** Files that change the installation wait for it dozens of times in a run: for pods that are ready and have not been asked yet. */
const promptRollouts: readonly Patch[] = [
  { target: { kind: 'DaemonSet', name: agentDaemonSet }, patch: JSON.stringify([readyEverySecond]) },
  { target: { kind: 'Deployment', name: controllerDeployment }, patch: JSON.stringify([readyEverySecond, allAtOnce]) },
];

const withSettings = (settings: string, changes: Changes): string =>
  Object.entries(changes).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name}:.*$`, 'm');
    if (!line.test(text)) throw new Error(`deploy/agent-settings.yaml: expected a line "${name}: …"`);
    return text.replace(line, `${name}: ${value}`);
  }, settings);

const splitImage = (image: string): object => {
  const [repository = '', digest] = image.split('@');
  const colon = repository.lastIndexOf(':');
  const hasTag = colon > repository.lastIndexOf('/');
  const newName = hasTag ? repository.slice(0, colon) : repository;
  if (digest !== undefined) return { newName, digest };
  return hasTag ? { newName, newTag: repository.slice(colon + 1) } : { newName };
};

export type Install = {
  /** `undefined` means the one that deploy/ names. */
  readonly image: string | undefined;
  readonly overlayDir: string;
  /** What differs from the settings that are shipped. */
  readonly settings?: Changes;
  /** Patches of kustomize. */
  readonly patches?: readonly Patch[];
};

const writeOverlay = async ({
  overlayDir: dir,
  image,
  settings: changes = testSettings,
  patches = promptRollouts,
}: Install): Promise<void> => {
  await mkdir(dir, { recursive: true });
  const settings = await readFile(join(shipped, 'agent-settings.yaml'), 'utf8');
  await writeFile(join(dir, 'agent-settings.yaml'), withSettings(settings, changes));
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(dir, shipped)],
    configMapGenerator: [
      {
        name: agentDaemonSet,
        namespace: agentNamespace,
        behavior: 'replace',
        files: ['agent-settings.yaml'],
      },
    ],
    patches,
    ...(image !== undefined && { images: [{ name: shippedImage, ...splitImage(image) }] }),
  };
  await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(overlay, null, 2));
};

/** Every one of them, and none of the old ones. */
export const waitForAgents = async (kubectl: Kubectl): Promise<void> => {
  for (const workload of [`daemonset/${agentDaemonSet}`, `deployment/${controllerDeployment}`]) {
    await kubectl.run([
      ...['-n', agentNamespace, 'rollout', 'status', workload],
      `--timeout=${rolloutDeadlineSeconds}s`,
    ]);
  }
};

export const installAgent = (kubectl: Kubectl, install: Install): Promise<void> =>
  step('install the agent', async () => {
    await writeOverlay(install);
    await kubectl.run(['apply', '-k', install.overlayDir]);
    await waitForAgents(kubectl);
  });

/** For stories that remove it: the next one finds it as the suite installed it. */
export const reinstallAgent = (kubectl: Kubectl): Promise<void> =>
  step('install the agent again', async () => {
    // Nothing can be made in a namespace that is going.
    const phase = ['get', 'namespace', agentNamespace, '--ignore-not-found', '-o', 'jsonpath={.status.phase}'];
    const isNotGoing = async () => ((await kubectl.run(phase)) === 'Terminating' ? undefined : true);
    await pollUntil('the namespace to be gone', isNotGoing, { deadlineMs: rolloutDeadlineSeconds * 1000 });
    await kubectl.run(['apply', '-k', suiteOverlayDir]);
    await waitForAgents(kubectl);
  });

/** An environment variable of every agent, all at once; `undefined` takes it back. */
export const configureAgents = async (kubectl: Kubectl, name: string, value: string | undefined): Promise<void> => {
  const run = (...args: string[]) => kubectl.run(['-n', agentNamespace, ...args]);
  const daemonSet = `daemonset/${agentDaemonSet}`;
  const strategy = { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '100%' } } } };
  await run('patch', daemonSet, '--type=merge', '--patch', JSON.stringify(strategy));
  await run('set', 'env', daemonSet, value === undefined ? `${name}-` : `${name}=${value}`);
  await run('rollout', 'status', daemonSet, `--timeout=${rolloutDeadlineSeconds}s`);
};
