// How one reconcile ended: the only thing that the worker looks at to decide what happens to the key.

export type Outcome =
  /** The world is as desired. */
  | { readonly kind: 'done' }
  /** Something failed that time can heal: again after the key's back-off, or after `afterMs` when that is known. */
  | { readonly kind: 'retry'; readonly message: string; readonly afterMs?: number }
  /** Only a new event can help: a pod that is not running yet, an annotation that cannot be read. */
  | { readonly kind: 'waitForChange'; readonly message: string };

export const done: Outcome = { kind: 'done' };

export const retry = (message: string, afterMs?: number): Outcome =>
  afterMs === undefined ? { kind: 'retry', message } : { kind: 'retry', message, afterMs };

export const waitForChange = (message: string): Outcome => ({ kind: 'waitForChange', message });
