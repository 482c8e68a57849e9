// The manifest of a krew plugin: krew.googlecontainertools.github.com/v1alpha2.
import { dump } from 'js-yaml';

export interface KrewRelease {
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
}

/** The plugin is one script for every platform that Node runs on; Windows needs a launcher that krew cannot make. */
const PLATFORMS = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
  { os: 'darwin', arch: 'amd64' },
  { os: 'darwin', arch: 'arm64' },
] as const;

export const krewManifest = ({ version, url, sha256 }: KrewRelease): string =>
  dump(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'dnet' },
      spec: {
        version: `v${version}`,
        shortDescription: 'Plug networks into running pods and VMs',
        description:
          'Shows, plugs and unplugs secondary networks of running pods and virtual machines, plans edits before they are made, and diagnoses an installation of dynamic-networks.\n',
        caveats: 'Needs Node 22.7 or later on the PATH.\n',
        platforms: PLATFORMS.map((matchLabels) => ({
          selector: { matchLabels: { ...matchLabels } },
          uri: url,
          sha256,
          files: [
            { from: 'kubectl-dnet', to: '.' },
            { from: 'LICENSE', to: '.' },
          ],
          bin: 'kubectl-dnet',
        })),
      },
    },
    { lineWidth: 120, noRefs: true },
  );
