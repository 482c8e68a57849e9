// Failures on demand. Every method switches a fault on and returns the switch; faults apply to the calls their filter
// matches, while they are on and have occurrences left. Promises: a fault never changes the stored objects (but
// `expireHistory`, which forgets), hits are counted, and `clear` leaves no request hanging.

import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, genericError } from './api-error.ts';
import { type ApiCall, type CallFilter, matchesCall } from './call-log.ts';

export interface FaultOptions extends CallFilter {
  /** How many calls it hits before it switches itself off; without it, until `off()`. */
  count?: number;
}

/** `received`: before the server does anything; `acted`: the write is done, the answer not sent. */
export type Phase = 'received' | 'acted';

/**
 * Runs while the call waits, and is awaited: crash-point tests kill the client here. If it comes to `'cut'`, the
 * connection is cut: before the server acted or after, according to the phase. If it throws, the call fails with 500.
 */
export type RequestHook = (call: ApiCall) => unknown;

/** Thrown to the server by a hook that wants no answer at all. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut';
}

export interface FaultSwitch {
  readonly hits: number;
  off(): void;
}

export interface HangSwitch extends FaultSwitch {
  /** Lets the held calls go on and holds no further ones. The same as `off()`. */
  release(): void;
  /** Resolves as soon as a call is held. */
  readonly held: Promise<void>;
}

/** What befalls the answer of a call that was acted on. */
export type AnswerFault = { kind: 'error'; error: ApiError } | { kind: 'cut' } | { kind: 'cutMidAnswer' };

export interface FaultTargets {
  dropWatches(filter: CallFilter, abruptly: boolean): number;
  expireHistory(): void;
  sendBookmarks(): void;
  tokens: Set<string>;
}

type Effect =
  | { kind: 'latency'; phase: Phase; ms: number }
  | { kind: 'hang'; phase: Phase; released: Promise<void>; onHeld: () => void }
  | { kind: 'hook'; phase: Phase; run: RequestHook }
  | { kind: 'fail'; error: ApiError }
  | { kind: 'answer'; fault: AnswerFault };

interface Rule {
  effect: Effect;
  filter: CallFilter;
  left: number;
  hits: number;
}

export class Faults {
  readonly #targets: FaultTargets;
  // In the order they were switched on, which is the order they take effect in.
  readonly #rules = new Set<Rule>();
  readonly #releases = new Set<() => void>();

  constructor(targets: FaultTargets) {
    this.#targets = targets;
  }

  latency(ms: number, options: FaultOptions & { phase?: Phase } = {}): FaultSwitch {
    return this.#switchOn({ kind: 'latency', phase: options.phase ?? 'received', ms }, options);
  }

  /** Answers with an error instead of acting. */
  fail(code: number, options: FaultOptions & { retryAfterSeconds?: number; message?: string } = {}): FaultSwitch {
    return this.#switchOn({ kind: 'fail', error: genericError(code, options) }, options);
  }

  /** Acts, then answers with an error (500 unless told) or just cuts the connection. */
  failAfterActing(options: FaultOptions & { answer?: number | 'cut' } = {}): FaultSwitch {
    const answer = options.answer ?? 500;
    const fault: AnswerFault = answer === 'cut' ? { kind: 'cut' } : { kind: 'error', error: genericError(answer) };
    return this.#switchOn({ kind: 'answer', fault }, options);
  }

  /** Acts, sends half of the answer and destroys the connection. On a watch it hits the next event, not the opening. */
  cutMidAnswer(options: FaultOptions = {}): FaultSwitch {
    return this.#switchOn({ kind: 'answer', fault: { kind: 'cutMidAnswer' } }, options);
  }

  /** Holds calls unanswered until released, before or (`phase: 'acted'`) after the server acted. */
  hang(options: FaultOptions & { phase?: Phase } = {}): HangSwitch {
    const gate = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const effect: Effect = {
      kind: 'hang',
      phase: options.phase ?? 'received',
      released: gate.promise,
      onHeld: held.resolve,
    };
    const fault = this.#switchOn(effect, options);
    this.#releases.add(gate.resolve);
    const release = (): void => {
      this.#releases.delete(gate.resolve);
      fault.off();
      gate.resolve();
    };
    return {
      get hits() {
        return fault.hits;
      },
      off: release,
      release,
      held: held.promise,
    };
  }

  onRequest(run: RequestHook, phase: Phase = 'received', options: FaultOptions = {}): FaultSwitch {
    return this.#switchOn({ kind: 'hook', phase, run }, options);
  }

  /** Ends the open watches that match, cleanly (as a time-out does) or with a reset; returns how many. */
  dropWatches(options: CallFilter & { abruptly?: boolean } = {}): number {
    return this.#targets.dropWatches(options, options.abruptly ?? false);
  }

  /** No resourceVersion handed out so far can be resumed from: watches get 410, and so do `continue` tokens. */
  expireHistory(): void {
    this.#targets.expireHistory();
  }

  /** Sends a BOOKMARK now to every watch that allows them. */
  sendBookmarks(): void {
    this.#targets.sendBookmarks();
  }

  rejectToken(token: string): void {
    this.#targets.tokens.delete(token);
  }

  acceptToken(token: string): void {
    this.#targets.tokens.add(token);
  }

  /** Switches all faults off and releases what hangs. Tokens and history stay as they are. */
  clear(): void {
    this.#rules.clear();
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  /** For the server: lets hooks, delays and hangs of a phase take effect; throws the error of a `fail`, or ConnectionCut. */
  async pass(phase: Phase, call: ApiCall, signal: AbortSignal): Promise<void> {
    for (const rule of [...this.#rules]) {
      const { effect } = rule;
      if (effect.kind === 'answer' || !this.#rules.has(rule)) continue;
      if ((effect.kind === 'fail' ? 'received' : effect.phase) !== phase || !this.#take(rule, call)) continue;
      if (effect.kind === 'fail') throw effect.error;
      if (effect.kind === 'hook' && (await effect.run(call)) === 'cut') throw new ConnectionCut();
      if (effect.kind === 'latency') await delay(effect.ms, undefined, { signal, ref: false });
      if (effect.kind === 'hang') {
        effect.onHeld();
        await orAborted(effect.released, signal);
      }
    }
  }

  /** For the server: the fault that befalls the answer of this call, if any; uses up one occurrence. */
  takeAnswerFault(call: ApiCall): AnswerFault | undefined {
    return this.#takeAnswer(call, (fault) => call.verb !== 'watch' || fault.kind !== 'cutMidAnswer');
  }

  /** For the server: whether the event about to be sent on this watch is to be cut in the middle. */
  takeEventCut(call: ApiCall): boolean {
    return this.#takeAnswer(call, (fault) => fault.kind === 'cutMidAnswer') !== undefined;
  }

  #takeAnswer(call: ApiCall, applies: (fault: AnswerFault) => boolean): AnswerFault | undefined {
    for (const rule of this.#rules) {
      const { effect } = rule;
      if (effect.kind === 'answer' && applies(effect.fault) && this.#take(rule, call)) return effect.fault;
    }
    return undefined;
  }

  #take(rule: Rule, call: ApiCall): boolean {
    if (!matchesCall(rule.filter, call)) return false;
    rule.hits += 1;
    rule.left -= 1;
    if (rule.left <= 0) this.#rules.delete(rule);
    return true;
  }

  #switchOn(effect: Effect, options: FaultOptions): FaultSwitch {
    const rule: Rule = { effect, filter: options, left: options.count ?? Number.POSITIVE_INFINITY, hits: 0 };
    this.#rules.add(rule);
    return {
      get hits() {
        return rule.hits;
      },
      off: () => {
        this.#rules.delete(rule);
      },
    };
  }
}

async function orAborted(released: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([released, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
