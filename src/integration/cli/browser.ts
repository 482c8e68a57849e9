// A real browser, as Debian ships it, for the tests of the page.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const KNOWN = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const findBrowser = (): string => {
  const named = process.env['DYNAMIC_NETWORKS_BROWSER'];
  const found = [...(named ? [named] : []), ...KNOWN].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    `no browser: none of ${KNOWN.join(', ')} exists. Run scripts/install-browser.sh, or name one in DYNAMIC_NETWORKS_BROWSER`,
  );
};

export interface OpenBrowser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

export const openBrowser = async (colorScheme: 'light' | 'dark' = 'light'): Promise<OpenBrowser> => {
  const profile = mkdtempSync(join(tmpdir(), 'dn-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    colorScheme,
    viewport: { width: 1360, height: 850 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
};
