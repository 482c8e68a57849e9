// The page in a real browser, with the real bundle, the real agent and the embedded cluster.
// DYNAMIC_NETWORKS_SCREENSHOTS=docs/images makes the pictures of the documentation: npm run screenshots.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { World } from '../harness.ts';
import { type OpenBrowser, openBrowser } from './browser.ts';
import { runDnet } from './run-dnet.ts';
import { UiProcess } from './ui-process.ts';

let world: World;
let browser: OpenBrowser;
let ui: UiProcess;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  [world, browser] = await Promise.all([World.start(), openBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});
beforeEach(async () => {
  ui = await UiProcess.start(world);
  page = await browser.context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(ui.url);
});
afterEach(async () => {
  await page.close();
  expect(await ui.stop()).toBe(0);
  expect(complaints.splice(0)).toEqual([]);
  await world.clean();
});

const shoot = async (name: string): Promise<void> => {
  const directory = process.env['DYNAMIC_NETWORKS_SCREENSHOTS'];
  if (!directory) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `ui-${name}.png`) });
};

/** Machines that run this have other work to do. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 15_000 });
const row = (text: string) => page.locator('#list .iface', { hasText: text });

describe('the page', () => {
  it('shows an interface as soon as it is plugged, and no longer when it is unplugged', async () => {
    await world.pod('web');
    await page.getByText('No pod has secondary networks').waitFor();
    expect((await runDnet(world, ['plug', 'web', 'blue', '--interface', 'b0', '--wait'])).code).toBe(0);
    await row('b0').waitFor();
    await eventually(() => row('b0').textContent()).toMatch(/●b0default\/blue10\.10\.1\.\d+/);
    await page.locator('#connection', { hasText: 'live' }).waitFor();
    await runDnet(world, ['unplug', 'web', 'b0', '--wait']);
    await page.getByText('No pod has secondary networks').waitFor();
  });

  it('says why an interface is not ready, with its events, and notices when it becomes ready', async () => {
    const pod = await world.pod('web');
    world.edit(pod, 'blue@b0, violet@v0');
    await row('v0').waitFor();
    await row('v0').click();
    const detail = page.locator('#detail');
    await detail.getByText('NetworkAttachmentDefinition default/violet does not exist').first().waitFor();
    await detail.locator('.timeline', { hasText: 'NetworkNotFound' }).waitFor();
    expect(await detail.locator('.verdict').textContent()).toBe('▲ not ready');
    world.cluster.createNad({ name: 'violet', config: { cniVersion: '0.3.1', type: 'bridge', ipam: {} } });
    await detail.locator('.verdict.ready').waitFor();
    await detail.locator('.timeline', { hasText: 'v0 on default/violet' }).waitFor();
    world.cluster.objects.remove({ resource: 'network-attachment-definitions', namespace: 'default', name: 'violet' });
  });

  it('can be used with the keyboard alone', async () => {
    const pod = await world.pod('web');
    world.edit(pod, 'blue@b0, red@r0');
    await row('r0').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('r0');
    await row('b0').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await row('b0').waitFor();
    await row('b0').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#detail', { hasText: 'r0 on default/red' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden' });
    expect(await page.evaluate("document.activeElement?.getAttribute('data-id')")).toBe('default/web|r0|default/red');
  });

  it('filters by state, network, node and namespace, in the list and on the map', async () => {
    await world.pod('web', 'blue@b0');
    const other = await world.pod('db', 'red@r0');
    world.edit(other, 'red@r0, nowhere@n0');
    await row('n0').waitFor();
    await page.selectOption('#state', 'notReady');
    await eventually(() => page.locator('#list .iface').count()).toBe(1);
    await page.click('#reset');
    await page.selectOption('#network', 'default/blue');
    await eventually(() => page.locator('#list .iface').allInnerTexts()).toEqual([expect.stringContaining('b0')]);
    await page.click('#tab-map');
    await eventually(() => page.locator('#map .box').count()).toBe(3);
    await page.locator('#map .box.network').press('Enter');
    await eventually(() => page.locator('#map .box.network').count()).toBe(4);
    expect(await page.locator('#map .box.network.unused').textContent()).toContain('default/green');
    await page.locator('#map .box.pod', { hasText: 'db' }).click();
    await page.locator('#detail', { hasText: 'default/db' }).waitFor();
  });

  it('says when it is no longer live, and catches up by itself', async () => {
    const pod = await world.pod('web', 'blue@b0');
    await row('b0').waitFor();
    await world.cluster.api.down();
    await page.locator('#connection', { hasText: 'partly live' }).waitFor();
    await world.cluster.api.up();
    world.edit(pod, 'blue@b0, red@r0');
    await row('r0').waitFor({ timeout: 25_000 });
    await page.locator('#connection', { hasText: /^live$/ }).waitFor({ timeout: 25_000 });
  }, 60_000);

  it('is light and dark', async () => {
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(246, 247, 249)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe('rgb(20, 23, 28)');
    await page.click('#theme');
    await eventually(background).toBe('rgb(246, 247, 249)');
    await page.click('#theme');
    await page.emulateMedia({ colorScheme: 'light' });
    await eventually(background).toBe('rgb(20, 23, 28)');
    await page.click('#theme');
  });

  it('shows the detail where it is seen, also in a narrow window', async () => {
    await world.pod('web', 'blue@b0');
    await page.setViewportSize({ width: 420, height: 800 });
    await row('b0').click();
    await page.locator('#detail', { hasText: 'b0 on default/blue' }).waitFor();
    // Read until it is there: what is shown is drawn anew when news arrive.
    const boxOf = async (what: string) => await page.locator(what).boundingBox();
    await eventually(async () => (await boxOf('#detail h2'))?.y ?? Number.POSITIVE_INFINITY).toBeLessThan(700);
    await eventually(async () => (await boxOf('#counts'))?.height ?? Number.POSITIVE_INFINITY).toBeLessThan(60);
    await page.setViewportSize({ width: 1360, height: 850 });
  });

  it('never makes markup of what the cluster says', async () => {
    const pod = await world.pod('web');
    world.edit(pod, '[{"name":"<img src=x onerror=alert(1)>"}]');
    await page.locator('.problem', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

describe('what it looks like', () => {
  it('is in the documentation', async () => {
    for (const [name, networks] of [
      ['web-7c9d', 'blue@data0'],
      ['web-x2v4', 'blue@data0'],
      ['db-0', 'blue@data0, red@repl0'],
      ['db-1', 'blue@data0, red@repl0'],
      ['cache-0', 'green@fast0'],
    ] as const) {
      await world.pod(name, networks);
    }
    const launcher = {
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: { 'kubevirt.io/domain': 'vm-router' },
    };
    await world.pod('virt-launcher-vm-router-k8x2p', 'blue@pod16477688c0e, red@podb1f51a511f1', launcher);
    world.edit({ namespace: 'default', name: 'cache-0' }, 'green@fast0, storage@disk0');
    await row('disk0').waitFor();
    await eventually(() => page.locator('#list .iface').count()).toBe(10);
    await row('disk0').click();
    await page.locator('.timeline', { hasText: 'NetworkNotFound' }).waitFor();
    await shoot('detail-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.keyboard.press('Escape');
    await page.click('#tab-map');
    await eventually(() => page.locator('#map .box').count()).toBe(11);
    await shoot('map-dark');
    await page.emulateMedia({ colorScheme: 'light' });
  });
});
