// What the plugins answered, as libcni keeps it for Multus: a file for each interface until its DEL. Written for what pods are
// made with only: files for all that is plugged would cost a burst more than everything else here.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CniResult } from './cni-result.ts';
import { type JsonObject, stringAt } from './json-values.ts';
import type { RuntimeConf } from './libcni.ts';

export class ResultFiles {
  readonly #directory: string;
  readonly #saved = new Set<string>();

  constructor(cacheDir: string) {
    this.#directory = join(cacheDir, 'results');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  save(config: JsonObject, runtime: RuntimeConf, result: CniResult): void {
    const { containerId, netns, ifname: ifName } = runtime;
    const networkName = stringAt(config, 'name');
    const cached = { kind: 'cniCacheV1', containerId, ifName, networkName, netns, result };
    const path = this.#path(config, runtime);
    writeFileSync(path, JSON.stringify(cached), { mode: 0o600 });
    this.#saved.add(path);
  }

  remove(config: JsonObject, runtime: RuntimeConf): void {
    const path = this.#path(config, runtime);
    if (this.#saved.delete(path)) rmSync(path, { force: true });
  }

  #path(config: JsonObject, { containerId, ifname }: RuntimeConf): string {
    return join(this.#directory, `${stringAt(config, 'name')}-${containerId}-${ifname}`);
  }
}
