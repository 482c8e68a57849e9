// The documentation against the code: links lead somewhere, generated pages are up to date, and what people see is described.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configDocs } from '../scripts/render-config-docs.ts';
import { createAgentMetrics } from '../src/telemetry/metrics.ts';

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

  it('name files of the sources that exist', () => {
    const named = pages.flatMap((page) => [...read(page).matchAll(/`((?:src|cri|scripts|deploy)\/[\w./-]+\.\w+)`/g)]);
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

  it('every decision, in the list of decisions', () => {
    const files = globSync('0*.md', { cwd: join(root, 'docs/adr') });
    expect(files.filter((file) => !read('docs/adr/README.md').includes(`(${file})`))).toEqual([]);
  });
});
