import { LRUCache } from 'lru-cache';
import { decodeTokens, type QuantizedVector, type VectorStore } from '#ports/vector-store';

/** Rows of one unit, or those of the units that it consists of. Null: its tokens are not stored. */
export type UnitRows = readonly Int8Array[] | null;

type Records = Awaited<ReturnType<VectorStore['get']>>;
/** Yields the keys to be read, and is given their records. */
type Steps<T> = Generator<readonly string[], T, Records>;

/** Of the records that are kept: the tokens of about 6,000 short passages. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Milliseconds. Afterwards a record is read again: a unit that stays gets other tokens if its neighbours change. */
const KEPT_MS = 600_000;

/** Reads the tokens of units, and keeps those that were read last, because one question needs about a hundred. */
export class TokenLookup {
  readonly #records = new LRUCache<string, QuantizedVector>({
    ...{ maxSize: MOST_BYTES, ttl: KEPT_MS },
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  });

  /** Reads in the order of the keys. */
  lookUp(keys: readonly string[], get: (keys: readonly string[]) => Records): UnitRows[] {
    const steps = this.#steps(keys);
    for (let step = steps.next(); ; step = steps.next(get(step.value))) if (step.done) return step.value;
  }

  /** The same where reading takes a round trip. */
  async lookUpRemotely(
    keys: readonly string[],
    get: (keys: readonly string[]) => Promise<Records>,
  ): Promise<UnitRows[]> {
    const steps = this.#steps(keys);
    for (let step = steps.next(); ; step = steps.next(await get(step.value))) if (step.done) return step.value;
  }

  *#steps(keys: readonly string[]): Steps<UnitRows[]> {
    const records = yield* this.#read(keys);
    const units = keys.map((key) => decoded(records.get(key)));
    const parts = yield* this.#read(units.flatMap((unit) => (unit?.kind === 'parts' ? unit.keys : [])));
    return units.map((unit) => {
      if (unit === null) return null;
      if (unit.kind === 'rows') return [unit.rows];
      const rows = unit.keys.flatMap((key) => {
        const part = decoded(parts.get(key));
        return part?.kind === 'rows' ? [part.rows] : [];
      });
      return rows.length === unit.keys.length ? rows : null;
    });
  }

  /** Yields once at most. */
  *#read(keys: readonly string[]): Steps<ReadonlyMap<string, QuantizedVector>> {
    const found = new Map<string, QuantizedVector>();
    const missing = new Set<string>();
    for (const key of keys) {
      const kept = this.#records.get(key);
      if (kept === undefined) missing.add(key);
      else found.set(key, kept);
    }
    if (missing.size === 0) return found;
    const wanted = [...missing];
    for (const [i, record] of (yield wanted).entries()) {
      if (record === null) continue;
      // Copied: as a view of what arrived with it, it would keep all of that, and take it along to another thread.
      const own = Uint8Array.from(record);
      found.set(wanted[i] as string, own);
      this.#records.set(wanted[i] as string, own);
    }
    return found;
  }
}

const decoded = (bytes: QuantizedVector | undefined) => (bytes === undefined ? null : decodeTokens(bytes));
