// Our proto is a part of upstream's: what it has must be there under the same numbers, or another field would be read.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const proto = readFileSync(join(root, 'cri/runtime.proto'), 'utf8');

/** From k8s.io/cri-api, pkg/apis/runtime/v1/api.proto. */
const UPSTREAM: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  VersionRequest: { version: 1 },
  VersionResponse: { version: 1, runtime_name: 2, runtime_version: 3, runtime_api_version: 4 },
  PodSandboxState: { SANDBOX_READY: 0, SANDBOX_NOTREADY: 1 },
  PodSandboxStateValue: { state: 1 },
  PodSandboxFilter: { id: 1, state: 2, label_selector: 3 },
  PodSandboxMetadata: { name: 1, uid: 2, namespace: 3, attempt: 4 },
  ListPodSandboxRequest: { filter: 1 },
  PodSandbox: { id: 1, metadata: 2, state: 3, created_at: 4 },
  ListPodSandboxResponse: { items: 1 },
  PodSandboxStatusRequest: { pod_sandbox_id: 1, verbose: 2 },
  PodSandboxStatus: { id: 1, metadata: 2, state: 3, created_at: 4 },
  PodSandboxStatusResponse: { status: 1, info: 2 },
  ContainerState: { CONTAINER_CREATED: 0, CONTAINER_RUNNING: 1, CONTAINER_EXITED: 2, CONTAINER_UNKNOWN: 3 },
  ContainerFilter: { id: 1, pod_sandbox_id: 3 },
  ListContainersRequest: { filter: 1 },
  Container: { id: 1, pod_sandbox_id: 2, state: 6 },
  ListContainersResponse: { containers: 1 },
  ContainerStatusRequest: { container_id: 1, verbose: 2 },
  ContainerStatus: { id: 1, state: 3 },
  ContainerStatusResponse: { status: 1, info: 2 },
};

/** Per message or enum of our proto: its fields with their numbers. */
const ours = Object.fromEntries(
  [...proto.matchAll(/^(?:message|enum) (\w+) \{\n([^}]*)\}/gm)].map(([, name = '', body = '']) => [
    name,
    Object.fromEntries([...body.matchAll(/(\w+) = (\d+);/g)].map(([, field, number]) => [field, Number(number)])),
  ]),
);

describe('runtime.proto', () => {
  it('has the package that every CRI v1 runtime serves', () => {
    expect(proto).toMatch(/^package runtime\.v1;$/m);
  });

  it('tells of the same messages as the table', () => {
    expect(Object.keys(ours).sort()).toEqual(Object.keys(UPSTREAM).sort());
  });

  it.each(Object.entries(UPSTREAM))('%s has the field numbers of upstream', (name, fields) => {
    expect(ours[name]).toEqual(fields);
  });
});

describe('cri/generated', () => {
  const directory = mkdtempSync(join(tmpdir(), 'generated-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const tools = join(root, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` };
  const canRun = (() => {
    try {
      execFileSync('buf', ['--version'], { env, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();

  it.skipIf(!canRun)('is what npm run generate makes (skipped where buf cannot run)', () => {
    execFileSync(process.execPath, [join(root, 'scripts/generate-cri.ts'), directory], { env, stdio: 'pipe' });
    const contents = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
    expect(contents(directory)).toEqual(contents(join(root, 'cri/generated')));
  });
});
