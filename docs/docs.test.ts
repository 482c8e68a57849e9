// The documentation against the code: links lead somewhere, generated pages are up to date, and what people see is described.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { configDocs } from '../scripts/render-config-docs.ts';
import { createAgentMetrics } from '../src/telemetry/metrics.ts';
import { allCommands, type DocumentedCommand } from './commands.ts';
import { documented, runOnRealCluster } from './known-commands.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

/** Headings as GitHub turns them into anchors. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

describe('links', () => {
  it.each(pages)('of %s lead somewhere', (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, file))) return true;
        return anchor !== undefined && !anchorsOf(file).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  it('of README.md lead to every page', () => {
    const linked = new Set([...read('README.md').matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => target));
    expect(globSync('docs/*.md', { cwd: root }).filter((page) => !linked.has(page))).toEqual([]);
  });

  it('name files of the sources that exist', () => {
    const named = pages.flatMap((page) => [
      ...read(page).matchAll(/`((?:src|cri|scripts|deploy|e2e|bench|docs)\/[\w./-]+\.\w+)`/g),
    ]);
    const missing = named.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)));
    expect(named.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });
});

describe('what is described', () => {
  it('the settings, as they are: run `npm run generate` if this fails', () => {
    expect(read('docs/configuration.md')).toBe(configDocs());
  });

  it('every reason that people see', () => {
    const reasons = [...read('src/model/reasons.ts').matchAll(/'([A-Z]\w+)'/g)].map(([, reason = '']) => reason);
    const text = read('docs/status-and-events.md');
    expect(reasons.length).toBeGreaterThan(15);
    expect(reasons.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
  });

  it('every metric of the agent, and none that it does not have', () => {
    const { registry } = createAgentMetrics({
      records: () => [],
      queue: () => ({ depth: 0, processing: 0, delayed: 0, oldestAgeMs: 0 }),
      waitingForRetry: () => 0,
      pods: () => 0,
      isPodGone: () => false,
    });
    const present = registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('dynamic_networks_'));
    const described = [...read('docs/status-and-events.md').matchAll(/^\| `(dynamic_networks_\w+)`/gm)];
    expect(described.map(([, name]) => name).toSorted()).toEqual(present.toSorted());
  });

  it('by diagrams whose texts do not end before their line: Mermaid takes what follows a semicolon for another statement', () => {
    const diagrams = pages.flatMap((page) => [...read(page).matchAll(/```mermaid\n([\s\S]*?)```/g)]);
    expect(diagrams.length).toBeGreaterThan(0);
    expect(diagrams.flatMap(([, text = '']) => text.split('\n').filter((line) => line.includes(';')))).toEqual([]);
  });

  it('every decision, in the list of decisions', () => {
    const files = globSync('0*.md', { cwd: join(root, 'docs/adr') });
    expect(files.filter((file) => !read('docs/adr/README.md').includes(`(${file})`))).toEqual([]);
  });
});

describe('commands', () => {
  const commands = allCommands();
  const listed: readonly string[] = [...runOnRealCluster, ...Object.values(documented)];
  const scripts: readonly string[] = Object.keys(packageJson.scripts);

  /** Why nobody knows it; undefined if somebody does. */
  const problemOf = ({ command, isBlock }: DocumentedCommand): string | undefined => {
    if (listed.includes(command)) return undefined;
    // Run by src/integration/cli/docs.test.ts, and so are those of blocks that follow; of the others it is seen that they exist.
    if (isBlock && /^echo '[^']*' > \w+$/.test(command)) return undefined;
    if (/^kubectl dnet /.test(command)) return isBlock && /[|<>]/.test(command) ? 'needs a shell' : undefined;
    const parts = command.split(' && ').map((part) => part.replace(/^(?:[A-Z0-9_]+=\S+ )+/, ''));
    return parts.map(problemOfPart).find((problem) => problem !== undefined);
  };
  const problemOfPart = (part: string): string | undefined => {
    const [program = '', verb = '', ...args] = part.split(' ');
    if (program === 'npm' && ['ci', 'test', 'audit', 'outdated'].includes(verb)) return undefined;
    if (program === 'npm' && verb === 'run') {
      return scripts.includes(args[0] ?? '') ? undefined : `package.json has no script ${args[0]}`;
    }
    const files = program === 'npx' && verb === 'vitest' ? args.slice(1) : program === 'node' ? [verb] : [program];
    const isFile = /^(?:npx|node|\.ci\/run|scripts\/\S+)$/.test(program);
    if (!isFile) return 'no test runs it: see docs/known-commands.ts';
    const missing = files.filter((file) => !existsSync(join(root, file)));
    return missing.length === 0 ? undefined : `there is no ${missing.join(', ')}`;
  };

  it('are all run by a test', () => {
    const unknown = commands.flatMap((each) => {
      const problem = problemOf(each);
      return problem === undefined ? [] : [`${each.page}: ${each.command}: ${problem}`];
    });
    expect(commands.length).toBeGreaterThan(100);
    expect(unknown).toEqual([]);
  });

  it('of which tests know are still there', () => {
    const documented = new Set(commands.map(({ command }) => command));
    expect(listed.filter((command) => !documented.has(command))).toEqual([]);
  });

  const endToEnd = globSync('e2e/**/*.ts', { cwd: root }).map(read);
  it.each(Object.keys(documented))('%s is taken from the list by a test', (name) => {
    const uses = new RegExp(`\\bdocumented\\.${name}\\b`);
    expect(endToEnd.some((text) => uses.test(text))).toBe(true);
  });
});
