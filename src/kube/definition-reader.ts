// CustomResourceDefinitions by name, read now and then rather than watched: they are large, and what we ask of them changes
// only when their owner is upgraded. One that is not installed, or that we may not read, counts as one without fields.
import type { ApiClient } from './api-client.ts';
import { customResourceDefinitions, resourcePath } from './resource.ts';

export interface DefinitionReaderOptions {
  readonly client: Pick<ApiClient, 'json'>;
  readonly maxAgeMs: number;
  readonly now: () => number;
}

export class DefinitionReader<T> {
  readonly #options: DefinitionReaderOptions;
  readonly #names: readonly string[];
  readonly #view: (definitions: readonly unknown[]) => T;
  #known: { readonly value: T; readonly readAt: number } | undefined;
  /** The reading that is under way, if any: a burst of reconciles shares it. */
  #reading: Promise<T> | undefined;

  /** `view` is given the definitions in the order of their names; undefined for each that cannot be read. */
  constructor(
    names: readonly string[],
    view: (definitions: readonly unknown[]) => T,
    options: DefinitionReaderOptions,
  ) {
    this.#options = options;
    this.#names = names;
    this.#view = view;
  }

  async read(): Promise<T> {
    const { maxAgeMs, now } = this.#options;
    if (this.#known !== undefined && now() - this.#known.readAt < maxAgeMs) return this.#known.value;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return await this.#reading;
  }

  async #readAll(): Promise<T> {
    const { client, now } = this.#options;
    const value = this.#view(
      await Promise.all(
        this.#names.map((name) =>
          client
            .json({ method: 'GET', path: resourcePath(customResourceDefinitions, { name }) })
            .catch(() => undefined),
        ),
      ),
    );
    this.#known = { value, readAt: now() };
    return value;
  }
}
