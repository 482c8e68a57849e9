interface Versioned {
  readonly resourceVersion: string;
}

const DECIMAL = /^\d{1,20}$/;

/** Versions of one resource are comparable where they are whole numbers, as on every etcd-backed server; else unknown counts as no. */
export const isOlderVersion = (a: Versioned, b: Versioned): boolean =>
  DECIMAL.test(a.resourceVersion) &&
  DECIMAL.test(b.resourceVersion) &&
  BigInt(a.resourceVersion) < BigInt(b.resourceVersion);
