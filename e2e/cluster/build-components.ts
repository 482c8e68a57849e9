// The Go programs of the cluster, built once from pinned modules (components/<name>/go.mod and go.sum) into the cache.
// One module per component, because their dependencies conflict. The key holds the version and a hash of the pins and
// flags, so a change of either builds anew and nothing stale is ever picked up.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { componentsDir, sourceDir } from './paths.ts';
import { step } from './progress.ts';
import { runCommand } from './run-command.ts';

/** What every cluster has. */
export type BaseComponentName = 'kubernetes' | 'multus' | 'whereabouts';
export type ComponentName = BaseComponentName | 'kubevirt' | 'device-network' | 'two-legged' | 'helm' | 'krew';

export type Component = {
  readonly name: ComponentName;
  readonly version: string;
  readonly key: string;
  /** Folder of the built programs. */
  readonly binDir: string;
};

type Recipe = {
  /** Its version is the component's; none is needed where everything is our own. */
  readonly module?: string;
  /** Program name -> Go package. */
  readonly programs: Readonly<Record<string, string>>;
  readonly linkerFlags: (version: string) => string;
  /** Sources of our own beside the pins, which a program may be built from. */
  readonly sources?: readonly string[];
};

const stripped = '-s -w';
const ownVersion = 'v0';

const recipes: Readonly<Record<ComponentName, Recipe>> = {
  kubernetes: {
    module: 'k8s.io/kubernetes',
    programs: Object.fromEntries(
      ['kube-apiserver', 'kube-controller-manager', 'kube-proxy', 'kube-scheduler', 'kubectl', 'kubelet'].map(
        (program) => [program, `k8s.io/kubernetes/cmd/${program}`],
      ),
    ),
    // Without these the API server calls itself v0.0.0-master, and clients that look at the version misbehave.
    linkerFlags: (version) => {
      const [major = '', minor = ''] = version.replace(/^v/, '').split('.');
      const set = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`;
      return [stripped, set('gitVersion', version), set('gitMajor', major), set('gitMinor', minor)].join(' ');
    },
  },
  multus: {
    module: 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4',
    programs: {
      'multus-daemon': 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus-daemon',
      'multus-shim': 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus-shim',
    },
    linkerFlags: () => stripped,
  },
  whereabouts: {
    module: 'github.com/k8snetworkplumbingwg/whereabouts',
    programs: { whereabouts: 'github.com/k8snetworkplumbingwg/whereabouts/cmd' },
    linkerFlags: () => stripped,
  },
  kubevirt: {
    module: 'kubevirt.io/kubevirt',
    programs: { 'virt-controller': 'kubevirt.io/kubevirt/cmd/virt-controller', crds: './crds' },
    linkerFlags: () => stripped,
    sources: ['crds/main.go'],
  },
  'device-network': {
    module: 'k8s.io/kubelet',
    programs: { 'sriov-like': './cni', 'device-plugin': './device-plugin' },
    linkerFlags: () => stripped,
    sources: ['cni/main.go', 'device-plugin/main.go'],
  },
  'two-legged': {
    programs: { 'two-legged': './cni' },
    linkerFlags: () => stripped,
    sources: ['cni/main.go'],
  },
  helm: {
    module: 'helm.sh/helm/v3',
    programs: { helm: 'helm.sh/helm/v3/cmd/helm' },
    // Without these Helm takes every cluster that it renders for to be Kubernetes 1.20, which the chart refuses.
    linkerFlags: (version) =>
      [
        stripped,
        `-X helm.sh/helm/v3/internal/version.version=${version}`,
        '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1',
        '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=34',
      ].join(' '),
  },
  krew: {
    module: 'sigs.k8s.io/krew',
    // The name by which kubectl finds it.
    programs: { 'kubectl-krew': 'sigs.k8s.io/krew/cmd/krew' },
    linkerFlags: () => stripped,
  },
};

const baseComponents: readonly BaseComponentName[] = ['kubernetes', 'multus', 'whereabouts'];

const pinsDir = (name: ComponentName): string => join(sourceDir, 'components', name);

export const versionOf = (goMod: string, module: string): string => {
  const line = goMod.split('\n').find((text) =>
    text
      .trim()
      .replace(/^require /, '')
      .startsWith(`${module} v`),
  );
  const version = line
    ?.trim()
    .split(' ')
    .find((word) => /^v\d/.test(word));
  if (version === undefined) throw new Error(`go.mod: expected a requirement of ${module}, found none`);
  return version;
};

const sourcesOf = (name: ComponentName): readonly string[] =>
  (recipes[name].sources ?? []).map((file) => join(pinsDir(name), file));

const describe = async (name: ComponentName): Promise<Component> => {
  const recipe = recipes[name];
  const goMod = await readFile(join(pinsDir(name), 'go.mod'), 'utf8');
  const goSum = await readFile(join(pinsDir(name), 'go.sum'), 'utf8');
  const version = recipe.module === undefined ? ownVersion : versionOf(goMod, recipe.module);
  const flags = recipe.linkerFlags(version);
  const hash = createHash('sha256')
    .update(JSON.stringify([goMod, goSum, recipe.programs, flags, process.arch]))
    .update((await Promise.all(sourcesOf(name).map((file) => readFile(file, 'utf8')))).join())
    .digest('hex')
    .slice(0, 12);
  const key = `${name}-${version}-${hash}`;
  return { name, version, key, binDir: join(componentsDir(), key) };
};

const isBuilt = (component: Component): boolean =>
  Object.keys(recipes[component.name].programs).every((program) => existsSync(join(component.binDir, program)));

/** Components that `buildBaseComponents` would have to build now; the machine check asks before anything starts. */
export const findUnbuilt = async (): Promise<readonly Component[]> => {
  const all = await Promise.all(baseComponents.map(describe));
  return all.filter((component) => !isBuilt(component));
};

const build = async (component: Component): Promise<void> => {
  const recipe = recipes[component.name];
  const workDir = `${component.binDir}.building`;
  // Apart from the programs, since a program may have the name of the folder that it is built from.
  const sourceCopy = join(workDir, 'source');
  await rm(workDir, { recursive: true, force: true });
  // Built from a copy: go may want to touch the pins, and the clone stays as it is.
  for (const file of ['go.mod', 'go.sum', ...(recipe.sources ?? [])]) {
    await mkdir(dirname(join(sourceCopy, file)), { recursive: true });
    await copyFile(join(pinsDir(component.name), file), join(sourceCopy, file));
  }
  const env = { ...process.env, CGO_ENABLED: '0', GOOS: 'linux', GOFLAGS: '-mod=readonly' };
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', recipe.linkerFlags(component.version)];
  for (const [program, goPackage] of Object.entries(recipe.programs)) {
    // nice: a build of minutes must not starve whatever else this machine does.
    const command = ['nice', '-n', '10', 'go', 'build', ...flags, '-o', join(workDir, program), goPackage];
    await step(`build ${program} ${component.version}`, () => runCommand(command, { cwd: sourceCopy, env }));
  }
  await rm(component.binDir, { recursive: true, force: true });
  await rename(workDir, component.binDir);
};

export const ensureComponent = async (name: ComponentName): Promise<Component> => {
  const component = await describe(name);
  if (!isBuilt(component)) await step(`build ${component.key}, once`, () => build(component));
  return component;
};

/** One after the other: each build already uses every core. */
export const buildBaseComponents = async (): Promise<Readonly<Record<BaseComponentName, Component>>> => ({
  kubernetes: await ensureComponent('kubernetes'),
  multus: await ensureComponent('multus'),
  whereabouts: await ensureComponent('whereabouts'),
});
