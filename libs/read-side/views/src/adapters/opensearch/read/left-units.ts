import { leftOutOf } from '../../../pieces.ts';
import type { UnitSearchQuery } from '../../../queries.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection, Hit } from '../connection.ts';
import { CUT, rowFrom } from '../documents.ts';
import { isFormer } from '../moments.ts';
import { anyOf, none } from '../term.ts';
import { documentKey, inRankedScope, isPieceOf } from '../terms.ts';
import { unitId } from '../units.ts';
import type { RowSource } from './lists.ts';

/** Ordinals of the units that a search leaves out, by the keys of their documents. */
export type LeftUnits = ReadonlyMap<string, readonly number[]>;

/** Cut documents in one answer. */
const AT_ONCE = 1_000;

/** Reads which units of the scope the time of a query leaves out. One round trip for each thousand cut documents. */
export async function readLeftUnits(
  connection: Connection,
  aliases: Aliases,
  search: UnitSearchQuery,
): Promise<LeftUnits> {
  const { scope, documentId, holds, kind, cutAt, asOf } = search;
  const left = new Map<string, readonly number[]>();
  if (holds === 'memories') return left;
  const { organization } = scope;
  const past = asOf === undefined ? [none(isFormer)] : [];
  const own =
    documentId === null
      ? []
      : [anyOf([{ ids: { values: [documentKey(organization, documentId)] } }, isPieceOf(organization, documentId)])];
  const query = { bool: { filter: [...inRankedScope(search), { term: { facts: CUT } }, ...past, ...own] } };
  for (let after: readonly (string | number)[] | null = null; ; ) {
    const body = {
      ...{ query, size: AT_ONCE, _source: ['row'], sort: [{ id: 'asc' }], track_total_hits: false },
      ...(after !== null && { search_after: after }),
    };
    const [answer] = await connection.search([{ index: aliases.of('documents'), body }]);
    const hits = (answer?.hits.hits ?? []) as readonly Hit<RowSource>[];
    for (const { _id, _source } of hits) {
      const ordinals = leftOutOf(rowFrom(_source.row).cuts?.leftOut ?? [], kind, cutAt);
      if (ordinals.length > 0) left.set(_id, ordinals);
    }
    if (hits.length < AT_ONCE) return left;
    after = hits.at(-1)?.sort ?? null;
  }
}

/** Returns the ids of the rows of units that are left out. */
export const leftUnitIds = (left: LeftUnits, kind: UnitSearchQuery['kind']): string[] =>
  [...left].flatMap(([key, ordinals]) => ordinals.map((ordinal) => unitId(key, kind, ordinal)));
