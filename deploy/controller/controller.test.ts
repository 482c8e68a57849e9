// The controller's Deployment and its budget: replicas enough to lose one, and a budget that is about them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';

const read = (file: string): unknown => loadYaml(readFileSync(join(import.meta.dirname, file), 'utf8'));

const labels = z.record(z.string(), z.string());
const deployment = z
  .object({
    metadata: z.object({ namespace: z.string() }),
    spec: z.object({ replicas: z.number(), template: z.object({ metadata: z.object({ labels }) }) }),
  })
  .parse(read('deployment.yaml'));
const budget = z
  .object({
    metadata: z.object({ namespace: z.string() }),
    spec: z.object({ minAvailable: z.number(), selector: z.object({ matchLabels: labels }) }),
  })
  .parse(read('poddisruptionbudget.yaml'));

it('the budget lets a drain take one replica at a time, and never keeps it from taking one', () => {
  expect(budget.metadata.namespace).toBe(deployment.metadata.namespace);
  expect(budget.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
  expect(budget.spec.minAvailable).toBe(deployment.spec.replicas - 1);
});
