// A Go module as it is published, for files in it that are no programs; pinned as components are. It goes into Go's own cache,
// where go has checked it against go.sum.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { versionOf } from './build-components.ts';
import { sourceDir } from './paths.ts';
import { runCommand } from './run-command.ts';

const modules = { 'prometheus-operator': 'github.com/prometheus-operator/prometheus-operator' } as const;

/** Folder of its files, which must not be changed. */
export const ensureModuleFiles = async (name: keyof typeof modules): Promise<string> => {
  const cwd = join(sourceDir, 'components', name);
  const module = modules[name];
  const version = versionOf(await readFile(join(cwd, 'go.mod'), 'utf8'), module);
  const { Dir }: { Dir: string } = JSON.parse(
    await runCommand(['go', 'mod', 'download', '-json', `${module}@${version}`], { cwd }),
  );
  return Dir;
};
