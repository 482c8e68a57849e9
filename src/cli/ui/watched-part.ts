// One kind of thing on the page, kept up to date by a watch, with what changed since somebody last asked.
import { ApiError } from '../../kube/api-error.ts';
import { Reflector, type ReflectorOptions } from '../../kube/reflector.ts';

export interface Viewed<T> {
  readonly resourceVersion: string;
  readonly key: string;
  /** Undefined: it is followed, but not shown. */
  readonly part: T | undefined;
}

export interface WatchedPartOptions<T> {
  readonly name: string;
  readonly client: ReflectorOptions<Viewed<T>>['client'];
  readonly path: string;
  readonly view: (object: unknown) => Viewed<T> | undefined;
  readonly isOptional: boolean;
  readonly onNews: () => void;
}

export class WatchedPart<T> {
  readonly reflector: Reflector<Viewed<T>>;
  readonly #name: string;
  #changes = new Map<string, T | null>();
  /** What the watch complained of last; it no longer counts once it is connected again. */
  #complaint: string | undefined;

  constructor({ name, onNews, ...options }: WatchedPartOptions<T>) {
    this.#name = name;
    this.reflector = new Reflector<Viewed<T>>({
      ...options,
      keyOf: ({ key }) => key,
      onChange: (key, after) => {
        this.#changes.set(key, after?.part ?? null);
        onNews();
      },
      onError: (error) => {
        this.#complaint = complaintOf(error);
        onNews();
      },
    });
  }

  get problem(): string | undefined {
    if (this.reflector.isConnected) this.#complaint = undefined;
    return this.#complaint === undefined ? undefined : `${this.#name}: ${this.#complaint}`;
  }

  get hasChanges(): boolean {
    return this.#changes.size > 0;
  }

  takeChanges(): Record<string, T | null> {
    const changes = Object.fromEntries(this.#changes);
    this.#changes = new Map();
    return changes;
  }

  all(): Record<string, T> {
    return Object.fromEntries(
      this.reflector.list().flatMap(({ key, part }) => (part === undefined ? [] : [[key, part] as const])),
    );
  }
}

const complaintOf = (error: unknown): string => {
  const detail = error instanceof Error ? error.message : String(error);
  return error instanceof ApiError && error.statusCode === 403 ? `may not be read: ${detail}` : detail;
};
