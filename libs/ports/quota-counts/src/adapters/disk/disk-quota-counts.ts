import { readFile, rename, writeFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { CountValue, QuotaCount, QuotaCounts } from '../../port.ts';

/** Counts in a file of JSON, which one process reads and writes. */
export class DiskQuotaCounts implements QuotaCounts {
  readonly isShared = false;
  readonly #path: string;
  readonly #inTurn = pLimit(1);
  #records: Promise<Map<string, QuotaCount>> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async read(key: string): Promise<QuotaCount | null> {
    return (await this.#all()).get(key) ?? null;
  }

  write(key: string, value: CountValue, after: number): Promise<number | null> {
    return this.#inTurn(async () => {
      const records = await this.#all();
      if ((records.get(key)?.revision ?? 0) !== after) return null;
      const revision = after + 1;
      const changed = new Map(records).set(key, { value, revision });
      const written = `${this.#path}-new`;
      await writeFile(written, JSON.stringify(Object.fromEntries(changed)), { mode: 0o600 });
      await rename(written, this.#path);
      this.#records = Promise.resolve(changed);
      return revision;
    });
  }

  /** A file that is missing or damaged holds nothing. */
  #all(): Promise<Map<string, QuotaCount>> {
    this.#records ??= readFile(this.#path, 'utf8')
      .then((text) => new Map(Object.entries(JSON.parse(text) as Record<string, QuotaCount>)))
      .catch(() => new Map());
    return this.#records;
  }
}
