// The closed set of things that go wrong. Adapters report them with their cause; only this module says what follows.
import type { Reason } from './reasons.ts';

export type ErrorKind =
  /** Only an edit of the pod or of the network can help. */
  | 'networkInvalid'
  | 'networkForbidden'
  | 'notHotPluggable'
  /** Time can help, and an event may come sooner. */
  | 'networkNotFound'
  | 'nodeNetworkNotFound'
  | 'sandboxNotReady'
  | 'delegateFailed'
  | 'delegateUnreachable'
  | 'runtimeUnreachable'
  | 'apiUnreachable'
  | 'apiRefused'
  | 'ledgerUnwritable'
  /** The state that a decision was based on is no longer the current one. */
  | 'stateChanged'
  | 'objectGone'
  /** Another replica may be leading: nothing is written any more. */
  | 'notLeading';

export type Disposition = 'retry' | 'waitForChange';

export class KnownError extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KnownError';
    this.kind = kind;
  }
}

/** What became of a command that failed: only `lost` leaves open whether a plugin is still at work. */
export type CommandFate = 'neverSent' | 'answered' | 'lost';

export class DelegateError extends KnownError {
  readonly fate: CommandFate;

  constructor(
    kind: 'delegateFailed' | 'delegateUnreachable',
    fate: CommandFate,
    message: string,
    options?: ErrorOptions,
  ) {
    super(kind, message, options);
    this.fate = fate;
  }
}

export const dispositionOf = (kind: ErrorKind): Disposition => {
  switch (kind) {
    case 'networkInvalid':
    case 'networkForbidden':
    case 'notHotPluggable':
    case 'objectGone':
      return 'waitForChange';
    case 'networkNotFound':
    case 'nodeNetworkNotFound':
    case 'sandboxNotReady':
    case 'delegateFailed':
    case 'delegateUnreachable':
    case 'runtimeUnreachable':
    case 'apiUnreachable':
    case 'apiRefused':
    case 'ledgerUnwritable':
    case 'stateChanged':
    case 'notLeading':
      return 'retry';
  }
};

/** The reason that an attachment which failed with this error shows to people. */
export const reasonOf = (kind: ErrorKind, verb: 'attach' | 'detach'): Reason => {
  if (kind === 'networkNotFound') return 'NetworkNotFound';
  if (kind === 'nodeNetworkNotFound') return 'NodeNetworkNotFound';
  if (kind === 'networkForbidden') return 'NetworkForbidden';
  if (kind === 'networkInvalid') return 'InvalidNetworkConfig';
  if (kind === 'notHotPluggable') return 'NotHotPluggable';
  return verb === 'attach' ? 'FailedAddingInterface' : 'FailedRemovingInterface';
};

/** Anything unknown is a bug of ours: it keeps its stack as the cause, and is tried again like a passing fault. */
export const toKnownError = (error: unknown): KnownError => {
  if (error instanceof KnownError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new KnownError('delegateFailed', `unexpected error: ${message}`, { cause: error });
};
