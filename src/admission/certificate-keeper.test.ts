import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { materialProblem } from './certificate-material.ts';
import { makeCertificate } from './make-certificate.ts';
import { CertificateWorld, NAMES, type Replica } from './test-certificates.ts';

const started = async (): Promise<{ world: CertificateWorld; a: Replica; b: Replica }> => {
  const world = new CertificateWorld();
  const [a, b] = [world.replica(), world.replica()];
  await a.refresh();
  await b.refresh();
  return { world, a, b };
};

/** Whatever a replica serves must be trusted by whoever reads the webhook configurations now. */
const expectTrusted = (world: CertificateWorld, ...replicas: Replica[]) => {
  const authorities = (world.bundle ?? '').split(/(?<=-----END CERTIFICATE-----\n)/).filter((pem) => pem !== '');
  for (const { served } of replicas) {
    if (served === undefined) throw new Error('nothing is served');
    expect(materialProblem({ authorities, serving: served }, NAMES, world.now)).toBeUndefined();
  }
};

describe('the first start', () => {
  it('makes a certificate for every name, stores it, and has it trusted', async () => {
    const { world, a, b } = await started();
    expect([world.made, world.writes]).toEqual([1, 1]);
    expect(a.served).toEqual(b.served);
    expectTrusted(world, a, b);
    const served = new X509Certificate(a.served?.certPem ?? '');
    expect(NAMES.map((name) => served.checkHost(name))).toEqual(NAMES);
    expect(served.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' });
  });

  it('two replicas that start at the same instant end with one certificate: the loser takes the winner’s', async () => {
    const world = new CertificateWorld();
    const [a, b] = [world.replica(), world.replica()];
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    world.beforeWrite = () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      return both.promise;
    };
    await Promise.all([a.refresh(), b.refresh()]);
    expect([world.made, world.writes]).toEqual([2, 1]);
    expect(a.served).toEqual(b.served);
    expect(a.served).toEqual(world.material?.serving);
    expectTrusted(world, a, b);
  });

  it('keeps no key of an authority anywhere', async () => {
    const { world } = await started();
    expect(Object.keys(world.data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  });

  it('without a Secret nothing is made, and the reason says what to do', async () => {
    const world = new CertificateWorld();
    world.data = undefined;
    const a = world.replica();
    await expect(a.refresh()).rejects.toThrow('is missing; apply the manifests again');
    expect([world.made, a.served]).toEqual([0, undefined]);
  });
});

describe('a quiet day', () => {
  it('writes nothing', async () => {
    const { world, a, b } = await started();
    world.pass(1);
    await a.refresh();
    await b.refresh();
    expect([world.made, world.writes]).toEqual([1, 1]);
  });
});

describe('rotation', () => {
  it('trusts the next one first, serves it an hour later, and never serves what is not trusted', async () => {
    const { world, a, b } = await started();
    const first = a.served;
    world.pass(61);
    await a.refresh();
    expect(a.served).toEqual(first);
    expect(world.material?.authorities).toHaveLength(2);
    expectTrusted(world, a, b);

    world.pass(0.5 / 24);
    await b.refresh();
    expect(b.served).toEqual(first);

    world.pass(0.6 / 24);
    await b.refresh();
    expect(b.served).not.toEqual(first);
    expect(a.served).toEqual(first);
    expectTrusted(world, a, b);

    await a.refresh();
    expect(a.served).toEqual(b.served);
    expect([world.made, world.writes]).toEqual([2, 3]);
    expect(world.material?.next).toBeUndefined();
  });

  it('goes on for years with three authorities at most, whoever happens to look first', async () => {
    const { world, a, b } = await started();
    for (let day = 0; day < 500; day += 5) {
      world.pass(5);
      const [first, second] = day % 15 === 0 ? [a, b] : [b, a];
      await first.refresh();
      expectTrusted(world, a, b);
      await second.refresh();
      expectTrusted(world, a, b);
      expect(world.material?.authorities.length).toBeLessThanOrEqual(3);
    }
    expect(world.made).toBeGreaterThan(7);
    expect(world.made).toBeLessThan(10);
  });

  it('waits with the next one while the webhook configurations cannot be changed', async () => {
    const { world, a } = await started();
    const first = a.served;
    world.pass(61);
    world.isTrustRefused = true;
    await expect(a.refresh()).rejects.toThrow('may not patch');
    expect([a.served, world.made]).toEqual([first, 1]);
    world.isTrustRefused = false;
    await a.refresh();
    expect(world.made).toBe(2);
  });

  it('one that slept through the whole lifetime makes a new one at once', async () => {
    const { world, a } = await started();
    world.pass(120);
    await a.refresh();
    expect(a.news.at(-1)).toContain('it expired on');
    expectTrusted(world, a);
  });

  it('a last day is used even if the next one is younger than an hour', async () => {
    const { world, a } = await started();
    const first = a.served;
    world.pass(89.5);
    await a.refresh();
    await a.refresh();
    expect(a.served).not.toEqual(first);
    expectTrusted(world, a);
  });
});

describe('a Secret that somebody touched', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it.each<[string, (data: Record<string, string>) => Record<string, string>, string]>([
    ['emptied', () => ({}), 'it is empty'],
    ['with a certificate that is no certificate', (data) => ({ ...data, 'tls.crt': base64('hello') }), 'tls.crt'],
    ['with a key that is no key', (data) => ({ ...data, 'tls.key': base64('hello') }), 'tls.crt'],
    ['with a value that is no base64', (data) => ({ ...data, 'tls.key': '%%%' }), 'tls.crt'],
    ['without its authority', ({ 'ca.crt': _gone, ...data }) => data, 'ca.crt'],
    [
      'with rubbish among its authorities',
      (data) => ({
        ...data,
        'ca.crt': base64(
          `${Buffer.from(data['ca.crt'] ?? '', 'base64')}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
        ),
      }),
      'ca.crt: certificate 2 cannot be read',
    ],
  ])('%s is restored from what is served', async (_, damage, why) => {
    const { world, a, b } = await started();
    const served = a.served;
    const before = world.material;
    world.data = damage(world.data ?? {});
    world.version += 1;
    await a.refresh();
    await b.refresh();
    expect(world.material).toEqual(before);
    expect([a.served, b.served, world.made]).toEqual([served, served, 1]);
    expect(a.news.at(-1)).toContain(why);
    expect(a.news.at(-1)).toContain('restored');
  });

  it('with the key of another certificate is replaced by a replica that has just started, too', async () => {
    const { world } = await started();
    const other = await makeCertificate(NAMES, world.now);
    world.data = { ...world.data, 'tls.key': base64(other.pair.keyPem) };
    world.version += 1;
    const c = world.replica();
    await c.refresh();
    expect(c.news).toEqual([expect.stringContaining('the key is not that of the certificate')]);
    expect(c.news.at(-1)).toContain('made');
    expectTrusted(world, c);
  });

  it('with a sound certificate of somebody else’s authority in ca.crt is not believed', async () => {
    const { world, a } = await started();
    const other = await makeCertificate(NAMES, world.now);
    world.data = { ...world.data, 'ca.crt': base64(other.authorityPem) };
    world.version += 1;
    await a.refresh();
    expect(a.news.at(-1)).toContain('no valid authority that signed tls.crt');
    expectTrusted(world, a);
  });

  it('for other names, as after a move to another namespace, is replaced', async () => {
    const { world } = await started();
    const other = await makeCertificate(['webhook.elsewhere.svc'], world.now);
    world.data = {
      'ca.crt': base64(other.authorityPem),
      'tls.crt': base64(other.pair.certPem),
      'tls.key': base64(other.pair.keyPem),
    };
    world.version += 1;
    const c = world.replica();
    await c.refresh();
    expect(c.news.at(-1)).toContain('it is not for webhook.dynamic-networks.svc');
    expectTrusted(world, c);
  });

  it('with a damaged next certificate gets another next one', async () => {
    const { world, a } = await started();
    world.pass(61);
    await a.refresh();
    world.data = { ...world.data, 'next.key': base64('hello') };
    world.version += 1;
    await a.refresh();
    expect(world.made).toBe(3);
    world.pass(1);
    await a.refresh();
    expectTrusted(world, a);
    expect(a.served).toEqual(world.material?.serving);
  });

  it('deleted: what is served stays served and trusted; once there again, it is filled again', async () => {
    const { world, a, b } = await started();
    const served = a.served;
    world.data = undefined;
    world.bundle = undefined;
    await expect(a.refresh()).rejects.toThrow('is missing');
    expectTrusted(world, a, b);
    world.data = {};
    world.version += 1;
    await b.refresh();
    await a.refresh();
    expect([a.served, b.served, world.material?.serving]).toEqual([served, served, served]);
  });
});

describe('a webhook configuration', () => {
  it.each([
    ['without a caBundle', undefined],
    ['with a wrong one', 'bm9uc2Vuc2U='],
  ])('%s gets the right one, and the Secret stays as it is', async (_, bundle) => {
    const { world, a, b } = await started();
    world.bundle = bundle;
    await a.refresh();
    expectTrusted(world, a, b);
    expect(world.writes).toBe(1);
  });
});
