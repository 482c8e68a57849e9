// `kubectl apply -k` of what is shipped in deploy/, through an overlay that changes only the image and settings that tests
// cannot wait for.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { step } from './cluster/progress.ts';
import type { Kubectl } from './target.ts';

export const agentNamespace = 'dynamic-networks';
export const agentDaemonSet = 'dynamic-networks-agent';

const shipped = resolve(import.meta.dirname, '..', 'deploy');
const shippedImage = 'localhost/dynamic-networks';
const rolloutDeadlineSeconds = 180;

/** A vanished interface is to be noticed within a test, not within ten minutes. */
const testSettings: Readonly<Record<string, string>> = { checkInterval: '5s' };

const withTestSettings = (settings: string): string =>
  Object.entries(testSettings).reduce((text, [name, value]) => {
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

/** `image: undefined` means the one that deploy/ names. */
const writeOverlay = async (dir: string, image: string | undefined): Promise<void> => {
  await mkdir(dir, { recursive: true });
  const settings = await readFile(join(shipped, 'agent-settings.yaml'), 'utf8');
  await writeFile(join(dir, 'agent-settings.yaml'), withTestSettings(settings));
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
    ...(image !== undefined && { images: [{ name: shippedImage, ...splitImage(image) }] }),
  };
  await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(overlay, null, 2));
};

export const installAgent = (
  kubectl: Kubectl,
  { image, overlayDir }: { readonly image: string | undefined; readonly overlayDir: string },
): Promise<void> =>
  step('install the agent', async () => {
    await writeOverlay(overlayDir, image);
    await kubectl.run(['apply', '-k', overlayDir]);
    const rollout = ['rollout', 'status', `daemonset/${agentDaemonSet}`, `--timeout=${rolloutDeadlineSeconds}s`];
    await kubectl.run(['-n', agentNamespace, ...rollout]);
  });
