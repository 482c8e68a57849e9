// A Secret and webhook configurations in memory, shared by any number of keepers: what the API server would hold.
import { connect, type PeerCertificate } from 'node:tls';
import { KnownError } from '../model/errors.ts';
import { CertificateKeeper } from './certificate-keeper.ts';
import { type CertificateMaterial, fromSecretData, toSecretData } from './certificate-material.ts';
import { makeCertificate } from './make-certificate.ts';
import type { ServingPair } from './serving-pair.ts';

export const NAMES = ['webhook.dynamic-networks.svc', 'webhook.dynamic-networks.svc.cluster.local'];

export class CertificateWorld {
  /** Undefined: there is no Secret. */
  data: Record<string, string> | undefined = {};
  version = 1;
  /** The caBundle of the configurations; undefined: none yet. */
  bundle: string | undefined;
  isTrustRefused = false;
  writes = 0;
  made = 0;
  now: Date = new Date('2026-03-01T00:00:00Z');
  /** Called between a keeper's reading and its writing. */
  beforeWrite: () => Promise<void> = async () => undefined;

  replica(): Replica {
    return new Replica(this);
  }

  pass(days: number): void {
    this.now = new Date(this.now.getTime() + days * 86_400_000);
  }

  get material(): CertificateMaterial | undefined {
    return fromSecretData(this.data);
  }
}

export class Replica {
  readonly keeper: CertificateKeeper;
  readonly news: string[] = [];
  served: ServingPair | undefined;

  constructor(world: CertificateWorld) {
    this.keeper = new CertificateKeeper({
      names: NAMES,
      now: () => world.now,
      make: async (names, now) => {
        world.made += 1;
        return await makeCertificate(names, now);
      },
      secret: {
        find: async () => world.data && { material: fromSecretData(world.data), version: String(world.version) },
        replace: async (material, version) => {
          await world.beforeWrite();
          if (version !== String(world.version)) throw new KnownError('stateChanged', 'changed meanwhile');
          world.data = { ...toSecretData(material) };
          world.writes += 1;
          world.version += 1;
          return String(world.version);
        },
      },
      trust: async (bundle) => {
        if (world.isTrustRefused) throw new KnownError('apiRefused', 'may not patch webhook configurations');
        world.bundle = bundle;
      },
      onServe: (pair) => {
        this.served = pair;
      },
      onNews: (message) => this.news.push(message),
    });
  }

  refresh(): Promise<void> {
    return this.keeper.refresh(AbortSignal.timeout(10_000));
  }
}

/** What a server shows to a client that trusts these authorities and asks for this name. Rejects as the API server would. */
export const shakeHands = (port: number, ca: string, servername: string): Promise<PeerCertificate> => {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const socket = connect({ port, host: '127.0.0.1', ca, servername }, () => {
    resolve(socket.getPeerCertificate());
    socket.destroy();
  });
  socket.once('error', reject);
  return promise;
};
