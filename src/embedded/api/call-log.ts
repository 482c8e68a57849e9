// Every request the server got, for tests and measurements that ask what a client did.
// Promises: a call is counted when it arrives, its status is filled in when it is answered (a watch: when it opens);
// counting by verb and resource does not walk the log.

import type { Verb } from './request-target.ts';

export interface ApiCall {
  readonly verb: Verb;
  /** Plural name; '' for health, version and discovery. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The bearer token, if any. */
  readonly token?: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly contentType?: string;
  readonly userAgent?: string;
  /** undefined until answered, and for ever if the connection was lost before. */
  status?: number;
}

/** Fields left out match everything; `subresource: ''` means the main resource only. */
export interface CallFilter {
  verb?: Verb | readonly Verb[];
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  token?: string;
}

export function matchesCall(filter: CallFilter, call: ApiCall): boolean {
  const verbs = filter.verb === undefined || typeof filter.verb === 'string' ? [filter.verb] : filter.verb;
  return (
    (filter.verb === undefined || verbs.includes(call.verb)) &&
    (filter.resource === undefined || filter.resource === call.resource) &&
    (filter.subresource === undefined || filter.subresource === (call.subresource ?? '')) &&
    (filter.namespace === undefined || filter.namespace === call.namespace) &&
    (filter.name === undefined || filter.name === call.name) &&
    (filter.token === undefined || filter.token === call.token)
  );
}

export class CallLog {
  #calls: ApiCall[] = [];
  readonly #counts = new Map<string, number>();

  get all(): readonly ApiCall[] {
    return this.#calls;
  }

  /** `count()` counts all; `count('patch', 'pods')` includes the patches of pods/status. */
  count(verb?: Verb, resource?: string): number {
    if (verb !== undefined && resource !== undefined) return this.#counts.get(`${verb} ${resource}`) ?? 0;
    let sum = 0;
    for (const [key, count] of this.#counts) {
      const [ofVerb, ofResource] = key.split(' ');
      if ((verb ?? ofVerb) === ofVerb && (resource ?? ofResource) === ofResource) sum += count;
    }
    return sum;
  }

  /** Counts as `patch pods` -> 3, of everything that was called. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  matching(filter: CallFilter): ApiCall[] {
    return this.#calls.filter((call) => matchesCall(filter, call));
  }

  add(call: ApiCall): void {
    this.#calls.push(call);
    const key = `${call.verb} ${call.resource}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  reset(): void {
    this.#calls = [];
    this.#counts.clear();
  }
}
