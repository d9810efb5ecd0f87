import type { MemoryListQuery } from '../../../queries.ts';
import { noRepeats, type Repeats, repeatsOf } from '../../../repeats.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection } from '../connection.ts';
import { createdAtIn, inactiveAt, isPiece } from '../moments.ts';
import { inScope, restrictions } from '../terms.ts';
import { unitFrom } from '../unit-hits.ts';
import { parseUnitId } from '../units.ts';
import type { Places } from './memory-places.ts';
import { page } from './paging.ts';

/** Different statements that are said more than once; of further ones each memory is listed. */
const MOST = 50_000;
/** Members that are read. */
const MOST_MEMBERS = 1_000_000;

/**
 * Returns the active memories that say the same as others, by the ids of the rows of their documents.
 * @param left those that are left out
 */
export async function repeatsIn(
  connection: Connection,
  aliases: Aliases,
  query: MemoryListQuery & { readonly cutAt: number },
  left: Places,
): Promise<Repeats<string>> {
  const filter = [...inScope(query.scope), ...restrictions(query), { term: { kind: 'memory' } }];
  const active: Body = { bool: { filter, must_not: [isPiece, inactiveAt(query.cutAt)] } };
  const repeated = await repeatedStatements(connection, aliases, active, query.scope.tags !== 'all');
  if (repeated.length === 0) return noRepeats();
  const members: Body = { bool: { filter: [active, { terms: { statement: repeated } }] } };
  const { rows } = await page(connection, aliases.of('units'), members, {
    ...{ sortBy: (order) => [{ document: order }, { ordinal: order }], order: 'asc', offset: 0, limit: MOST_MEMBERS },
    columns: [],
    fields: { stored_fields: ['unit'], docvalue_fields: ['statement', 'tags', 'numbers'] },
  });
  const found = rows.flatMap(({ _id, fields = {} }) => {
    const { document, ordinal, kind } = parseUnitId(_id);
    const [json] = fields.unit ?? [];
    if (json === undefined || left.get(document)?.has(ordinal)) return [];
    const tags = [...(fields.tags ?? [])].sort().join(' ');
    const createdAt = createdAtIn(fields.numbers ?? []);
    const { id } = unitFrom({ kind, ordinal }, String(json));
    return [{ document, ordinal, id, createdAt, statement: `${fields.statement?.[0]} ${tags}` }];
  });
  return repeatsOf(found);
}

/** Returns the terms of statements that several memories have. @param isSmall the scope may be a small part of the index */
async function repeatedStatements(
  connection: Connection,
  aliases: Aliases,
  query: Body,
  isSmall: boolean,
): Promise<readonly string[]> {
  const terms = { field: 'statement', min_doc_count: 2, size: MOST, shard_size: MOST };
  const hint = isSmall ? { execution_hint: 'map' } : {};
  const body: Body = {
    ...{ query, size: 0, track_total_hits: false },
    aggs: { all: { terms: { ...terms, ...hint } } },
  };
  const [answer] = await connection.search([{ index: aliases.of('units'), body }]);
  const buckets = (answer?.aggregations?.all?.buckets ?? []) as readonly { readonly key: string }[];
  return buckets.map(({ key }) => key);
}
