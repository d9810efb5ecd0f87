import { leftOutOf } from '../../../pieces.ts';
import type { MemoryListQuery } from '../../../queries.ts';
import { noRepeats, type Repeats } from '../../../repeats.ts';
import { isWanted } from '../../../wanted.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection } from '../connection.ts';
import { CUT, rowFrom } from '../documents.ts';
import { unitId } from '../units.ts';
import { byMoment, type FoundDocument, foundDocument, ROW_COLUMNS, type RowSource } from './lists.ts';
import { page, WINDOW } from './paging.ts';

/** Ordinals of memories by the ids of the rows of their documents. */
export type Places = ReadonlyMap<string, ReadonlySet<number>>;

/** Ids of the rows of memories in their order, and their documents. */
export interface MemoryPlaces {
  readonly ids: readonly string[];
  readonly documents: ReadonlyMap<string, FoundDocument>;
}

/** Documents whose memories are counted at once. */
const AT_ONCE = 500;

/** Finds the memories of a page: the documents before it are walked, because memories that are left out do not count. */
export async function placesOfMemories(
  connection: Connection,
  aliases: Aliases,
  conditions: Body,
  query: MemoryListQuery,
  { later }: Pick<Repeats<string>, 'later'> = noRepeats(),
): Promise<MemoryPlaces> {
  const asked = { sortBy: byMoment(query.sort), order: query.order, limit: AT_ONCE, columns: ROW_COLUMNS };
  const documents = new Map<string, FoundDocument>();
  const ids: string[] = [];
  let skip = query.offset;
  for (let offset = 0; ids.length < query.limit; offset += AT_ONCE) {
    const { rows } = await page<RowSource>(connection, aliases.of('documents'), conditions, { ...asked, offset });
    for (const hit of rows) {
      const document = foundDocument(hit);
      if (!isWanted(query, document.row)) continue;
      const own = shownOrdinals(document, query.cutAt, later.get(hit._id));
      if (query.order === 'desc') own.reverse();
      const wanted = own.slice(skip, skip + query.limit - ids.length);
      skip = Math.max(0, skip - own.length);
      if (wanted.length > 0) documents.set(hit._id, document);
      ids.push(...wanted.map((ordinal) => unitId(hit._id, 'memory', ordinal)));
    }
    if (rows.length < AT_ONCE) break;
  }
  return { ids, documents };
}

function shownOrdinals(
  { memories, row }: FoundDocument,
  at: number | undefined,
  repeated: ReadonlySet<number> = NONE,
): number[] {
  const left = new Set(leftOutOf(row.cuts?.leftOut ?? [], 'memory', at));
  const all = Array.from({ length: memories }, (_, ordinal) => ordinal);
  return all.filter((ordinal) => !left.has(ordinal) && !repeated.has(ordinal));
}

const NONE: ReadonlySet<number> = new Set();

/** Counts the memories of all documents, those that are left out too. */
export async function countMemories(connection: Connection, aliases: Aliases, conditions: Body): Promise<number> {
  const index = aliases.of('documents');
  const sum: Body = {
    query: conditions,
    size: 0,
    track_total_hits: false,
    aggs: { all: { sum: { field: 'memories' } } },
  };
  const [answer] = await connection.search([{ index, body: sum }]);
  return answer?.aggregations?.all?.value ?? 0;
}

/** Returns the memories that are left out. */
export async function leftMemories(
  connection: Connection,
  aliases: Aliases,
  conditions: Body,
  at: number | undefined,
): Promise<Places> {
  const cut = { bool: { filter: [conditions, { term: { facts: CUT } }] } };
  const asked = { sortBy: byMoment('createdAt'), order: 'asc', offset: 0, limit: WINDOW, columns: ['row'] } as const;
  const { rows } = await page<Pick<RowSource, 'row'>>(connection, aliases.of('documents'), cut, asked);
  return new Map(
    rows.map(({ _id, _source }) => [_id, new Set(leftOutOf(rowFrom(_source.row).cuts?.leftOut ?? [], 'memory', at))]),
  );
}
