import { describe, expect, it } from 'vitest';
import {
  DelegateError,
  type Disposition,
  dispositionOf,
  type ErrorKind,
  KnownError,
  reasonOf,
  toKnownError,
} from './errors.ts';
import type { Reason } from './reasons.ts';

/** A kind that is missing here does not compile. */
const expected: Record<ErrorKind, { disposition: Disposition; attach: Reason; detach: Reason }> = {
  networkInvalid: { disposition: 'waitForChange', attach: 'InvalidNetworkConfig', detach: 'InvalidNetworkConfig' },
  networkForbidden: { disposition: 'waitForChange', attach: 'NetworkForbidden', detach: 'NetworkForbidden' },
  notHotPluggable: { disposition: 'waitForChange', attach: 'NotHotPluggable', detach: 'NotHotPluggable' },
  objectGone: { disposition: 'waitForChange', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  notLeading: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  networkNotFound: { disposition: 'retry', attach: 'NetworkNotFound', detach: 'NetworkNotFound' },
  nodeNetworkNotFound: { disposition: 'retry', attach: 'NodeNetworkNotFound', detach: 'NodeNetworkNotFound' },
  sandboxNotReady: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  delegateFailed: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  delegateUnreachable: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  runtimeUnreachable: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  apiUnreachable: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  apiRefused: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  ledgerUnwritable: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
  stateChanged: { disposition: 'retry', attach: 'FailedAddingInterface', detach: 'FailedRemovingInterface' },
};

describe('every kind of error has a disposition and a reason', () => {
  it.each(Object.entries(expected) as [ErrorKind, (typeof expected)[ErrorKind]][])('%s', (kind, row) => {
    expect({
      disposition: dispositionOf(kind),
      attach: reasonOf(kind, 'attach'),
      detach: reasonOf(kind, 'detach'),
    }).toEqual(row);
  });
});

describe('toKnownError', () => {
  it('leaves known errors as they are', () => {
    const known = new DelegateError('delegateFailed', 'answered', 'no');
    expect(toKnownError(known)).toBe(known);
  });

  it.each([
    ['an error of ours that nobody foresaw', new TypeError('x is undefined'), 'unexpected error: x is undefined'],
    ['something thrown that is no error', 'oops', 'unexpected error: oops'],
  ])('retries %s, and keeps it as the cause', (_, thrown, message) => {
    const known = toKnownError(thrown);
    expect(known).toBeInstanceOf(KnownError);
    expect([known.kind, known.message, known.cause]).toEqual(['delegateFailed', message, thrown]);
  });
});
