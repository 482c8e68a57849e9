import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeCertificate } from './make-certificate.ts';
import type { ServingPair } from './serving-pair.ts';
import { NAMES, shakeHands } from './test-certificates.ts';
import { WebhookService } from './webhook-service.ts';

const [servername = ''] = NAMES;
const [first, second] = await Promise.all([makeCertificate(NAMES, new Date()), makeCertificate(NAMES, new Date())]);

let refresh: () => Promise<void>;
let expiry: Date | undefined;
let serve: (pair: ServingPair) => void;
let errors: unknown[];
let service: WebhookService;

beforeEach(() => {
  errors = [];
  expiry = undefined;
  refresh = async () => undefined;
  service = new WebhookService({
    server: { host: '127.0.0.1', port: 0, webhooks: {} },
    makeSource: (onServe) => {
      serve = onServe;
      return {
        refresh: () => refresh(),
        get expiry() {
          return expiry;
        },
      };
    },
    refreshMs: 1,
    retryMs: 1,
    stop: { lingerMs: 0, graceMs: 0 },
    now: () => new Date(),
    onError: (error) => errors.push(error),
  });
});
afterEach(() => service.stop());

const listening = () => vi.waitFor(() => service.port ?? Promise.reject(new Error('not yet')), { timeout: 5000 });

it('serves nobody before there is a certificate, and says why', async () => {
  refresh = () => Promise.reject(new Error('the Secret is missing'));
  service.start();
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1));
  expect(() => service.probe()).toThrow('the webhook has no certificate yet: the Secret is missing');
  expect(service.port).toBeUndefined();
  refresh = async () => serve(first.pair);
  await listening();
  expect(() => service.probe()).not.toThrow();
});

it('shows each certificate that comes', async () => {
  refresh = async () => serve(first.pair);
  service.start();
  const port = await listening();
  await shakeHands(port, first.authorityPem, servername);
  refresh = async () => serve(second.pair);
  await vi.waitFor(() => shakeHands(port, second.authorityPem, servername), { timeout: 5000 });
});

it('shows a certificate even if the rest of the refresh fails', async () => {
  refresh = async () => {
    serve(first.pair);
    throw new Error('no right to patch');
  };
  service.start();
  await shakeHands(await listening(), first.authorityPem, servername);
  expect(errors[0]).toEqual(new Error('no right to patch'));
});

it('is not well once its certificate has expired', async () => {
  refresh = async () => serve(first.pair);
  service.start();
  await listening();
  expiry = new Date(0);
  expect(() => service.probe()).toThrow('its certificate has expired');
});
