import { readFile, rename, writeFile } from 'node:fs/promises';
import type { UseStore } from '../../port.ts';

/** Uses in a file of JSON. One process writes it. */
export class DiskUses implements UseStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const wanted = new Set(keys);
    return new Map([...(await this.#all())].filter(([key]) => wanted.has(key)));
  }

  async write(uses: ReadonlyMap<string, number>): Promise<void> {
    const all = new Map([...(await this.#all()), ...uses]);
    const written = `${this.#path}-new`;
    await writeFile(written, JSON.stringify(Object.fromEntries(all)), { mode: 0o600 });
    await rename(written, this.#path);
  }

  /** A file that is missing or damaged holds nothing. */
  async #all(): Promise<ReadonlyMap<string, number>> {
    try {
      return new Map(Object.entries(JSON.parse(await readFile(this.#path, 'utf8')) as Record<string, number>));
    } catch {
      return new Map();
    }
  }
}
