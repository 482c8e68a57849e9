// The watches of one process: each is made when the first part asks for it, so that the server sees one watch of a kind
// however many parts follow it, and none that nobody asked for.
import { type ObjectView, WatchedObjects, type WatchedObjectsOptions, type WatchSpec } from './watched-objects.ts';

interface RunningWatch {
  readonly resource: { readonly plural: string };
  readonly reflector: {
    readonly isConnected: boolean;
    readonly synced: Promise<void>;
    start(): void;
    stop(): Promise<void>;
  };
}

export class Watches {
  readonly #options: WatchedObjectsOptions;
  readonly #made: RunningWatch[] = [];

  constructor(options: WatchedObjectsOptions) {
    this.#options = options;
  }

  /** A function that always gives the same watch; whoever needs it calls it before `start`. */
  offer<T extends ObjectView>(spec: WatchSpec<T>): () => WatchedObjects<T> {
    let watched: WatchedObjects<T> | undefined;
    return () => {
      if (watched === undefined) {
        watched = new WatchedObjects(spec, this.#options);
        this.#made.push(watched);
      }
      return watched;
    };
  }

  start(): void {
    for (const { reflector } of this.#made) reflector.start();
  }

  /** Resolves when every list has been read once. */
  async synced(): Promise<void> {
    await Promise.all(this.#made.map(({ reflector }) => reflector.synced));
  }

  /** The kinds whose changes do not arrive now. */
  get disconnected(): readonly string[] {
    return this.#made.filter(({ reflector }) => !reflector.isConnected).map(({ resource }) => resource.plural);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#made.map(({ reflector }) => reflector.stop()));
  }
}
