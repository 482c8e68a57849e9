// The folder map as a test: which folder may import which, and which packages each may use. What stands in comments
// and texts does not count.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsIn } from './test-imports.ts';

const root = resolve(import.meta.dirname, '..');

/** May import of ours: folders, itself always included. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'src/model': [],
  'src/queue': ['src/model'],
  'src/ledger': ['src/model'],
  'src/host': ['src/model'],
  'src/kube': ['package.json', 'src/model', 'src/transport'],
  'src/multus': ['src/model', 'src/transport'],
  'src/transport': [],
  'src/agent': ['src/model', 'src/queue'],
  'src/config': ['src/model'],
  'src/telemetry': ['src/model'],
  'src/cli': ['src/ipam', 'src/kube', 'src/model', 'src/transport', 'src/vm'],
  'src/vm': ['src/model'],
  'src/ipam': ['src/model'],
  'src/admission': ['src/model', 'src/transport'],
  'src/controller': ['src/model', 'src/queue', 'src/vm', 'src/ipam'],
  'src/wiring': [
    'src/admission',
    'src/config',
    'src/controller',
    'src/ipam',
    'src/kube',
    'src/model',
    'src/telemetry',
    'src/vm',
  ],
  'src/embedded': ['src/model', 'cri/generated'],
  cri: ['src/model', 'cri/generated'],
  'cri/generated': [],
  'src/main.ts': ['package.json', 'src/config', 'src/main-agent.ts', 'src/main-controller.ts'],
  'src/main-controller.ts': ['src/config', 'src/controller', 'src/kube', 'src/telemetry', 'src/wiring'],
  'src/main-agent.ts': [
    'cri',
    'src/agent',
    'src/config',
    'src/host',
    'src/kube',
    'src/ledger',
    'src/model',
    'src/multus',
    'src/queue',
    'src/telemetry',
  ],
  'src/main-dnet.ts': ['package.json', 'src/cli'],
};

/** May import of others: npm packages. Node's own modules are free to all but the model. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/model': ['ipaddr.js'],
  'src/queue': ['p-queue'],
  'src/ledger': ['zod/mini'],
  'src/host': [],
  'src/kube': ['@kubernetes/client-node', 'lru-cache', 'p-queue', 'zod/mini'],
  'src/multus': ['zod/mini'],
  'src/transport': [],
  'src/agent': [],
  'src/config': ['js-yaml', 'zod/mini'],
  'src/telemetry': ['pino', 'prom-client'],
  'src/cli': ['commander', 'js-yaml', 'zod/mini'],
  'src/vm': ['zod/mini'],
  'src/ipam': ['ipaddr.js', 'sorted-btree', 'zod/mini'],
  'src/admission': ['selfsigned', 'zod/mini'],
  'src/controller': [],
  'src/wiring': ['prom-client'],
  'src/embedded': ['@grpc/grpc-js', 'fast-json-patch', 'ipaddr.js', 'selfsigned', 'undici'],
  cri: ['@grpc/grpc-js', 'lru-cache', 'zod/mini'],
  'cri/generated': ['@bufbuild/protobuf/wire', '@grpc/grpc-js'],
  'src/main.ts': ['commander'],
  'src/main-agent.ts': [],
  'src/main-dnet.ts': [],
  'src/main-controller.ts': [],
};

const isExempt = (file: string): boolean =>
  file.endsWith('.test.ts') || /(^|\/)test-[^/]+\.ts$/.test(file) || file.startsWith('src/integration/');

const files = ['src', 'cri'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);
const sources = files.filter((file) => !isExempt(file)).sort();

/** The entry of the map that a file belongs to: the longest that fits. */
const folderOf = (file: string): string | undefined =>
  Object.keys(FOLDERS)
    .filter((folder) => file === folder || file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly isOurs: boolean;
}

const arrowsOf = (file: string): Arrow[] =>
  importsIn(readFileSync(join(root, file), 'utf8')).map(({ specifier }) => {
    const isOurs = specifier.startsWith('.');
    return { from: file, to: isOurs ? relative(root, resolve(root, dirname(file), specifier)) : specifier, isOurs };
  });
const arrows = sources.flatMap(arrowsOf);

describe('the folder map', () => {
  it('knows every source file', () => {
    expect(sources.filter((file) => folderOf(file) === undefined)).toEqual([]);
    expect(sources.length).toBeGreaterThan(100);
    expect(arrows.length).toBeGreaterThan(300);
  });

  it.each(Object.entries(FOLDERS))('%s imports of ours only itself and %j', (folder, allowed) => {
    const wrong = arrows.filter(({ from, to, isOurs }) => {
      if (!isOurs || folderOf(from) !== folder) return false;
      return ![folder, ...allowed].includes(folderOf(to) ?? to);
    });
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it.each(Object.entries(PACKAGES))('%s imports of npm only %j', (folder, allowed) => {
    const wrong = arrows.filter(
      ({ from, to, isOurs }) =>
        !isOurs && folderOf(from) === folder && !to.startsWith('node:') && !allowed.includes(to),
    );
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('the model uses nothing of Node: it would run anywhere', () => {
    const wrong = arrows.filter(({ from, to }) => folderOf(from) === 'src/model' && to.startsWith('node:'));
    expect(wrong).toEqual([]);
  });

  it('of client-node we take KubeConfig and nothing else: anything that serialises brings every model of the API along', () => {
    const imports = sources.flatMap((file) => importsIn(readFileSync(join(root, file), 'utf8')));
    const taken = imports.filter(({ specifier }) => specifier === '@kubernetes/client-node');
    expect([...new Set(taken.flatMap(({ names }) => names))]).toEqual(['KubeConfig']);
  });

  it('nothing but tests, measurements and itself imports the embedded cluster', () => {
    const importers = new Set(
      arrows.filter(({ to }) => to.startsWith('src/embedded/')).map(({ from }) => folderOf(from)),
    );
    expect([...importers]).toEqual(['src/embedded']);
  });

  it('has no cycles between folders', () => {
    const next = new Map<string, Set<string>>();
    for (const { from, to, isOurs } of arrows) {
      const [a, b] = [folderOf(from) ?? from, folderOf(to) ?? to];
      if (isOurs && a !== b) next.set(a, (next.get(a) ?? new Set()).add(b));
    }
    const reaches = (from: string, seen = new Set<string>()): Set<string> => {
      for (const to of next.get(from) ?? []) if (!seen.has(to)) reaches(to, seen.add(to));
      return seen;
    };
    expect([...next.keys()].filter((folder) => reaches(folder).has(folder))).toEqual([]);
  });

  it('every import of ours names a file that is there, with its ending', () => {
    const there = new Set([...files, 'package.json']);
    expect(arrows.filter(({ to, isOurs }) => isOurs && !there.has(to))).toEqual([]);
  });
});

describe('importsIn', () => {
  it.each([
    ["import a from 'a';", ['a']],
    ["import type { B } from './b.ts';", ['./b.ts']],
    ["import 'c';", ['c']],
    ["import x, * as y from 'd';", ['d']],
    ["import {\n  e,\n  type F as G,\n} from 'e';", ['e']],
    ["export { h } from 'h';", ['h']],
    ["export * from 'i';", ['i']],
    ["const j = await import('j');", ['j']],
    ["import k from 'k' with { type: 'json' };", ['k']],
    ["// import l from 'l';\n/* import m from 'm'; */", []],
    [`const n = "import o from 'o';"; const p = \`import q from 'q'; \${r} import s from 's';\`;`, []],
    [`const n = \`\${a ? \`\${b}}\` : { c }} import d from 'd';\`; import e from 'e';`, ['e']],
    ["const re = /['\"`]/; import t from 't';", ['t']],
    ["const u = { import: 1, from: 'v' }; u.import; import.meta.dirname;", []],
    ["export const w = 'x'; export function from() {}", []],
  ])('%j imports %j', (code, expected) => {
    expect(importsIn(code).map(({ specifier }) => specifier)).toEqual(expected);
  });
});
