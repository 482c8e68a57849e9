import { describe, expect, it } from 'vitest';
import { createAgentMetrics } from '../../src/telemetry/metrics.ts';
import { activityIn, callsIn, callsSince, parseMetrics, valueIn } from './agent-metrics.ts';

const queue = { depth: 0, processing: 0, delayed: 0, oldestAgeMs: 0 };

/** The real thing, so that a renamed metric is noticed here and not in a run of an hour. */
const makeMetrics = () =>
  createAgentMetrics({
    records: () => [],
    queue: () => queue,
    waitingForRetry: () => 0,
    pods: () => 3,
    isPodGone: () => false,
  });

const samplesOf = async (metrics: ReturnType<typeof makeMetrics>) => parseMetrics(await metrics.registry.metrics());

describe('the metrics of the agent', () => {
  it('tell calls by what was called, whatever their outcome', async () => {
    const metrics = makeMetrics();
    metrics.operation('ADD', 'ok', 20);
    metrics.operation('ADD', 'failed', 20);
    metrics.operation('DEL', 'ok', 20);
    metrics.runtimeCall('ListPodSandbox', 'ok');
    metrics.apiCall('PATCH', 200);
    metrics.apiCall('PATCH', 409);
    metrics.apiCall('POST', 201);
    metrics.apiCall('GET', 200);
    expect(callsIn(await samplesOf(metrics))).toEqual({
      cri: { ListPodSandbox: 1 },
      multus: { ADD: 2, DEL: 1, CHECK: 0 },
      api: { 'patch pods': 2, 'create events': 1, GET: 1 },
    });
  });

  it('do not count what the kubelet makes the agent ask', async () => {
    const metrics = makeMetrics();
    metrics.runtimeCall('Version', 'ok');
    expect(callsIn(await samplesOf(metrics)).cri).toEqual({});
  });

  it('show activity by a call as by waiting work', async () => {
    const metrics = makeMetrics();
    const idle = activityIn(await samplesOf(metrics));
    expect(activityIn(await samplesOf(metrics))).toBe(idle);
    queue.processing = 1;
    expect(activityIn(await samplesOf(metrics))).not.toBe(idle);
    queue.processing = 0;
    metrics.apiCall('POST', 201);
    expect(activityIn(await samplesOf(metrics))).not.toBe(idle);
  });

  it('have the resident memory', async () => {
    expect(valueIn(await samplesOf(makeMetrics()), 'process_resident_memory_bytes')).toBeGreaterThan(1024 * 1024);
  });
});

describe('parseMetrics', () => {
  it.each([
    ['a sample without labels', 'up 1', [{ name: 'up', labels: {}, value: 1 }]],
    [
      'braces and quotes in a label',
      'a{b="x}\\"y",c="z"} 2e3',
      [{ name: 'a', labels: { b: 'x}\\"y', c: 'z' }, value: 2000 }],
    ],
    ['comments, which are no samples', '# HELP up is it\n# TYPE up gauge\n', []],
  ])('reads %s', (_, text, samples) => {
    expect(parseMetrics(text)).toEqual(samples);
  });
});

describe('callsSince', () => {
  it('counts what is new, also of what was never called before', () => {
    const before = { cri: { A: 2 }, multus: {}, api: { x: 5 } };
    const after = { cri: { A: 3 }, multus: { ADD: 4 }, api: { x: 5 } };
    expect(callsSince(before, after)).toEqual({ cri: { A: 1 }, multus: { ADD: 4 }, api: { x: 0 } });
  });
});
