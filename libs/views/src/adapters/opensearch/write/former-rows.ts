import { fromColumn } from '../../../text.ts';
import type { Connection, Hit } from '../connection.ts';
import { hasLeft } from '../moments.ts';
import { isPieceOf } from '../terms.ts';

/** Rows in one answer. */
const PAGE = 1_000;

/** Returns the ids of the rows of units that have left a document, as far as searches find them. */
export async function formerRowsOf(
  connection: Connection,
  index: string,
  organization: string,
  id: string,
): Promise<readonly string[]> {
  const query = { bool: { filter: [isPieceOf(organization, id), hasLeft] } };
  const ids: string[] = [];
  for (let after: readonly (string | number)[] | null = null; ; ) {
    const body = {
      ...{ query, size: PAGE, _source: ['id'], sort: [{ id: 'asc' }], track_total_hits: false },
      ...(after !== null && { search_after: after }),
    };
    const [answer] = await connection.search([{ index, body }]);
    const hits = (answer?.hits.hits ?? []) as readonly Hit<{ readonly id: string }>[];
    for (const { _source } of hits) ids.push(fromColumn(_source.id));
    if (hits.length < PAGE) return ids;
    after = hits.at(-1)?.sort ?? null;
  }
}
