// The webhook as a part that can fail: replicas that end and die, none at all, and a certificate that changes.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documented } from '../../docs/known-commands.ts';
import { toSecretData } from '../../src/admission/certificate-material.ts';
import { makeCertificate } from '../../src/admission/make-certificate.ts';
import { pollUntil } from '../cluster/poll-until.ts';
import { controllers, controllersReady, scaleControllers } from '../controllers.ts';
import { podDeadlineMs, withNamespace } from '../fixture.ts';
import { agentNamespace } from '../install-agent.ts';
import { readMetrics } from '../pod-metrics.ts';
import { networksAnnotation, podSpec } from '../pods.ts';
import { argsOf } from '../target.ts';
import { caBundle, countAnswers, secretName, turnAdmissionOff, turnAdmissionOn } from './admission-gate.ts';

const story = withNamespace('webhook', 172);
const { kubectl, namespace } = story;
const { api } = story;
const spec = podSpec(story.podImage, {});

/** Asks the webhook and stores nothing. */
const ask = (networks = 'x'): Promise<unknown> =>
  api.create(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
    metadata: { generateName: 'asked-', annotations: { [networksAnnotation]: networks } },
    spec,
  });

/** Asks all the time while something happens; gives how often, and what went wrong. */
const whileAsking = async (work: () => Promise<unknown>): Promise<{ asked: number; failures: string[] }> => {
  const failures: string[] = [];
  let asked = 0;
  let isOver = false;
  const askers = [1, 2, 3, 4].map(async () => {
    while (!isOver) {
      asked += 1;
      await ask().catch((error: Error) => failures.push(error.message));
    }
  });
  await work().finally(() => {
    isOver = true;
  });
  await Promise.all(askers);
  return { asked, failures };
};

/** A certificate that is replaced is looked at by each replica three times; every 30 s would be a minute and a half of waiting. */
const environment = { DYNAMIC_NETWORKS_WEBHOOK_REFRESH: '10s' };

beforeAll(() => turnAdmissionOn(kubectl, 'enforce', { environment }), 300_000);
afterAll(() => turnAdmissionOff(kubectl), 300_000);

it('both replicas answer', async () => {
  const both = async () => {
    await Promise.all(Array.from({ length: 40 }, () => ask()));
    const counts = await Promise.all((await controllers(kubectl)).map((pod) => countAnswers(kubectl, pod)));
    return counts.length === 2 && counts.every((count) => count > 0) ? true : undefined;
  };
  await pollUntil('answers of both', both, { deadlineMs: podDeadlineMs });
});

it('a replica that is told to end takes no request with it', async () => {
  const { asked, failures } = await whileAsking(async () => {
    const [pod] = await controllers(kubectl);
    await kubectl.run(['-n', agentNamespace, 'delete', 'pod', pod?.name ?? '', '--timeout=60s']);
    await controllersReady(kubectl, 90_000);
  });
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(100);
}, 180_000);

it('a replica that is killed is done without', async () => {
  const [pod] = await controllers(kubectl);
  const { failures } = await whileAsking(() =>
    kubectl.run(['-n', agentNamespace, 'delete', 'pod', pod?.name ?? '', '--grace-period=0', '--force']),
  );
  for (const failure of failures) expect(failure).toMatch(/failed calling webhook/);
  const tenInARow = async () => {
    for (let count = 0; count < 10; count += 1) await ask();
    return true;
  };
  await pollUntil('ten answers in a row', () => tenInARow().catch(() => undefined), { deadlineMs: podDeadlineMs });
}, 180_000);

it('while no replica runs, only requests for networks are refused, until the webhook is removed', async () => {
  const plugged = await story.startPod('before');
  await scaleControllers(kubectl, 0);
  try {
    await expect(ask()).rejects.toThrow(/failed calling webhook \\?"networks.dynamic-networks.io\\?"/);
    const begin = Date.now();
    await story.startPod('plain');
    expect(Date.now() - begin).toBeLessThan(podDeadlineMs);
    await kubectl.run(['-n', namespace, 'label', 'pod', plugged.name, 'still=editable']);
    await kubectl.run(['-n', namespace, 'annotate', 'pod', plugged.name, 'other=editable']);

    await kubectl.run(argsOf(documented.removeWebhook));
    await pollUntil('nobody to be asked', () => ask().catch(() => undefined), { deadlineMs: podDeadlineMs });
  } finally {
    await scaleControllers(kubectl, 2);
    await turnAdmissionOn(kubectl, 'enforce', { environment });
  }
  await pollUntil('an answer', () => ask().catch(() => undefined), { deadlineMs: podDeadlineMs });
}, 300_000);

it('a certificate near its end is replaced by both replicas without a request that fails', async () => {
  const names = [`dynamic-networks-webhook.${agentNamespace}.svc`];
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const [valid, ending] = await Promise.all([
    makeCertificate(names, daysAgo(0)),
    makeCertificate(names, daysAgo(89.9)),
  ]);
  const authorities = [valid.authorityPem, ending.authorityPem];
  const store = (serving: typeof valid.pair) =>
    api.mergePatch(`/api/v1/namespaces/${agentNamespace}/secrets/${secretName}`, {
      data: { ...toSecretData({ authorities, serving }), 'next.crt': null, 'next.key': null },
    });
  const trusted = async (pem: string) =>
    Buffer.from(await caBundle(kubectl), 'base64')
      .toString()
      .includes(pem.trim())
      ? true
      : undefined;
  const { asked, failures } = await whileAsking(async () => {
    // A rotation takes an hour by design; so the world is set to where one is nearly over, as carefully as the controller does.
    const present = await kubectl.getJson<{ data: Record<string, string> }>([
      '-n',
      agentNamespace,
      'secret',
      secretName,
    ]);
    const text = (field: string) => Buffer.from(present.data[field] ?? '', 'base64').toString();
    authorities.push(text('ca.crt'));
    await store({ certPem: text('tls.crt'), keyPem: text('tls.key') });
    await pollUntil('trust in what comes', () => trusted(ending.authorityPem), { deadlineMs: 60_000 });
    await store(ending.pair);
    const replaced = async () => {
      const { data } = await kubectl.getJson<{ data: Record<string, string> }>([
        '-n',
        agentNamespace,
        'secret',
        secretName,
      ]);
      const served = Buffer.from(data['tls.crt'] ?? '', 'base64').toString();
      return served !== ending.pair.certPem && data['next.crt'] === undefined ? true : undefined;
    };
    await pollUntil('another certificate', replaced, { deadlineMs: 180_000 });
    const expiries = async () => {
      const metrics = await Promise.all((await controllers(kubectl)).map((replica) => readMetrics(kubectl, replica)));
      const read = metrics.map((one) => Number(/_expiry_timestamp_seconds (\d\S*)$/m.exec(one)?.[1] ?? 0));
      return read.every((seconds) => seconds * 1000 > Date.now() + 80 * 86_400_000) ? true : undefined;
    };
    await pollUntil('both replicas to serve it', expiries, { deadlineMs: 90_000 });
  });
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(100);
}, 420_000);
