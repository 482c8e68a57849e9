// What a server was asked, and the places where tests step in: `received` before anything is done, `acted` when all is
// done but nothing answered yet. The server waits for the hooks, so a crash can be put at an exact point.

export type RequestPhase = 'received' | 'acted';

export type RequestHook<Call> = (call: Call) => void | Promise<void>;

export class RequestTrace<Call> {
  readonly #calls: Call[] = [];
  readonly #hooks = new Map<RequestPhase, Set<RequestHook<Call>>>([
    ['received', new Set()],
    ['acted', new Set()],
  ]);

  get calls(): readonly Call[] {
    return this.#calls;
  }

  count(matches: (call: Call) => boolean = () => true): number {
    return this.#calls.reduce((sum, call) => sum + (matches(call) ? 1 : 0), 0);
  }

  forget(): void {
    this.#calls.length = 0;
  }

  add(call: Call): void {
    this.#calls.push(call);
  }

  on(hook: RequestHook<Call>, phase: RequestPhase): () => void {
    const hooks = this.#hooks.get(phase);
    hooks?.add(hook);
    return () => hooks?.delete(hook);
  }

  async reach(call: Call, phase: RequestPhase): Promise<void> {
    for (const hook of this.#hooks.get(phase) ?? []) await hook(call);
  }
}
