// 2,000 pods on the page: how long until they are there, and how long a search and a change take.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../harness.ts';
import { type OpenBrowser, openBrowser } from './browser.ts';
import { UiProcess } from './ui-process.ts';

const PODS = 2000;
const NODES = 25;

let world: World;
let browser: OpenBrowser;
let ui: UiProcess;
beforeAll(async () => {
  [world, browser] = await Promise.all([World.start({ agent: false }), openBrowser()]);
  for (let index = 0; index < PODS; index += 1) createPod(index);
  ui = await UiProcess.start(world);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await ui?.stop();
  await world?.stop();
});

const annotations = (index: number, ready = true) => {
  const since = '2026-01-01T00:00:00Z';
  const name = `default/net-${index % 40}`;
  const address = `10.${Math.floor(index / 250)}.${index % 250}.2`;
  return {
    'k8s.v1.cni.cncf.io/networks': `[{"name":"net-${index % 40}","interface":"data0"}]`,
    'k8s.v1.cni.cncf.io/network-status': JSON.stringify([
      { name: 'podnet', interface: 'eth0', default: true },
      { name, interface: 'data0', ips: [address], mac: '02:00:00:00:00:01' },
    ]),
    'dynamic-networks.io/interfaces': JSON.stringify([
      {
        interface: 'data0',
        network: name,
        ready,
        since,
        ...(!ready && { reason: 'FailedAddingInterface', message: 'broken' }),
      },
    ]),
  };
};

const createPod = (index: number) =>
  world.cluster.objects.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${index}`, namespace: 'default', annotations: annotations(index) },
    spec: { nodeName: `worker-${index % NODES}`, containers: [{ name: 'app', image: 'x' }] },
    status: { phase: 'Running' },
  });

it(`shows ${PODS} pods, finds one, and notices a change`, async () => {
  const page = await browser.context.newPage();
  const startedAt = performance.now();
  await page.goto(ui.url);
  await page.locator('#shown', { hasText: `${PODS} interfaces of ${PODS} pods` }).waitFor();
  const shownMs = performance.now() - startedAt;

  const searchedAt = performance.now();
  await page.fill('#search', 'pod-1234');
  await page.locator('#shown', { hasText: '1 interfaces of 1 pods' }).waitFor();
  const foundMs = performance.now() - searchedAt;
  await page.click('#reset');
  await page.locator('#shown', { hasText: `${PODS} pods` }).waitFor();

  const changedAt = performance.now();
  world.cluster.objects.modify({ resource: 'pods', namespace: 'default', name: 'pod-77' }, (draft) => {
    draft.metadata.annotations = annotations(77, false);
  });
  await page.locator('#counts .notReady dd', { hasText: /^1$/ }).waitFor();
  const changedMs = performance.now() - changedAt;
  await page.click('#tab-map');
  await page.locator('#map', { hasText: 'More than 60 pods' }).waitFor();
  process.stdout.write(
    `${PODS} pods: shown after ${Math.round(shownMs)} ms, search ${Math.round(foundMs)} ms, change ${Math.round(changedMs)} ms\n`,
  );
  // Generous: the machines that run this have other work to do.
  expect(shownMs).toBeLessThan(15_000);
  expect(foundMs).toBeLessThan(5000);
  expect(changedMs).toBeLessThan(5000);
}, 60_000);
