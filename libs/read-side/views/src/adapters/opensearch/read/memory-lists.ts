import { asOfDocument, cutTime } from '../../../pieces.ts';
import type { MemoryListQuery, NewestMemoriesQuery } from '../../../queries.ts';
import { countOfOrdinals, noRepeats, repeatedIn } from '../../../repeats.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { parseUnitId } from '../units.ts';
import type { FoundRows } from './found-rows.ts';
import { withMemories } from './lists.ts';
import { countMemories, leftMemories, type MemoryPlaces, placesOfMemories } from './memory-places.ts';
import { repeatsIn } from './repeats.ts';

/** Lists memories, of documents or with rows of their own. */
export class MemoryLists {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #found: FoundRows;

  constructor(connection: Connection, aliases: Aliases, found: FoundRows) {
    this.#connection = connection;
    this.#aliases = aliases;
    this.#found = found;
  }

  async newest(query: NewestMemoriesQuery, limit: number) {
    if (limit <= 0) return [];
    const order = { sort: 'createdAt', order: 'desc', offset: 0, limit } as const;
    return this.#shown(
      await placesOfMemories(this.#connection, this.#aliases, withMemories(query), { ...query, ...order }),
    );
  }

  async list(query: MemoryListQuery) {
    const conditions = withMemories(query);
    const own = [this.#connection, this.#aliases] as const;
    const [all, left] = await Promise.all([
      countMemories(...own, conditions),
      leftMemories(...own, conditions, query.cutAt),
    ]);
    const repeats = query.isGrouped
      ? await repeatsIn(...own, { ...query, cutAt: cutTime(query) }, left)
      : noRepeats<string>();
    const places = await placesOfMemories(...own, conditions, query, repeats);
    const memories = (await this.#shown(places)).map((one) => repeatedIn(repeats, one));
    return { memories, total: all - countOfOrdinals(left) - countOfOrdinals(repeats.later) };
  }

  /** Reads the units of places in documents. */
  async #shown({ ids, documents }: MemoryPlaces) {
    const units = await this.#found.units(ids, documents);
    return ids.flatMap((id) => {
      const unit = units.get(id);
      const document = documents.get(parseUnitId(id).document)?.row;
      return unit === undefined || document === undefined ? [] : [asOfDocument({ unit, document })];
    });
  }
}
