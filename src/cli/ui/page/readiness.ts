// One word for how an interface is, and how to show it: by shape and word, not by colour alone.
import type { InterfaceStatus } from '../../logic/pod-networks.ts';

export type Readiness = 'ready' | 'notReady' | 'pending' | 'removing';

export const readinessOf = (item: Pick<InterfaceStatus, 'ready' | 'desired' | 'reported'>): Readiness => {
  if (item.ready === false) return 'notReady';
  if (item.desired === false) return 'removing';
  if (item.ready === true && item.reported) return 'ready';
  return 'pending';
};

export const SIGN: Readonly<Record<Readiness, string>> = { ready: '●', notReady: '▲', pending: '○', removing: '◌' };
export const WORD: Readonly<Record<Readiness, string>> = {
  ready: 'ready',
  notReady: 'not ready',
  pending: 'pending',
  removing: 'being removed',
};
