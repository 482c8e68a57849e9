// What every shipped role may do, gates included: named things only. And the controller's pod, which needs nothing of its node.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { deviationsFromRestricted } from './pod-security.ts';

const texts = z.optional(z.array(z.string()));
const role = z.object({
  kind: z.enum(['Role', 'ClusterRole']),
  metadata: z.object({ name: z.string() }),
  rules: z.array(
    z.object({ apiGroups: texts, resources: texts, resourceNames: texts, nonResourceURLs: texts, verbs: texts }),
  ),
});

const rules = globSync('**/*.yaml', { cwd: import.meta.dirname, exclude: ['chart/**'] }).flatMap((file) =>
  loadAll(readFileSync(join(import.meta.dirname, file), 'utf8')).flatMap((object) => {
    const parsed = role.safeParse(object);
    return parsed.success ? parsed.data.rules.map((rule) => ({ file, role: parsed.data.metadata.name, ...rule })) : [];
  }),
);

describe('shipped roles', () => {
  it('are found', () => {
    expect(new Set(rules.map((rule) => rule.role)).size).toBeGreaterThan(6);
  });

  it('have no wildcard, and nothing that lets somebody become somebody else', () => {
    const words = ({ apiGroups = [], resources = [], nonResourceURLs = [], verbs = [] }: (typeof rules)[number]) => [
      ...[...apiGroups, ...resources, ...nonResourceURLs].filter((word) => word.includes('*')),
      ...verbs.filter((verb) => ['*', 'escalate', 'bind', 'impersonate', 'deletecollection'].includes(verb)),
    ];
    expect(rules.filter((rule) => words(rule).length > 0)).toEqual([]);
  });

  it('see one Secret, that of the webhook’s own certificate, and enter no pod', () => {
    const sensitive = [
      'secrets',
      'serviceaccounts/token',
      'pods/exec',
      'pods/attach',
      'pods/portforward',
      'nodes/proxy',
    ];
    const found = rules.filter(({ resources = [] }) => resources.some((resource) => sensitive.includes(resource)));
    expect(found).toEqual([
      expect.objectContaining({
        role: 'dynamic-networks-controller',
        resources: ['secrets'],
        resourceNames: ['dynamic-networks-webhook-certificate'],
        verbs: ['get', 'patch'],
      }),
    ]);
  });

  it('do not use networks by themselves: the role that may is for bindings of administrators', () => {
    expect(rules.filter(({ verbs = [] }) => verbs.includes('use')).map((rule) => rule.role)).toEqual([
      'dynamic-networks-use',
    ]);
  });
});

it('the controller’s pod meets the Pod Security level restricted', () => {
  const deployment = z
    .object({ spec: z.object({ template: z.object({ spec: z.unknown() }) }) })
    .parse(load(readFileSync(join(import.meta.dirname, 'controller/deployment.yaml'), 'utf8')));
  expect(deviationsFromRestricted(deployment.spec.template.spec)).toEqual([]);
});
