import type { DocumentRow } from '../../../documents.ts';
import type { Connection, Hit } from '../connection.ts';
import { rowFrom } from '../documents.ts';
import { hasLeft } from '../moments.ts';
import { isPieceOfAny } from '../terms.ts';

/** Rows in one answer, and documents in one request. */
const PAGE = 1_000;

/** Returns the rows of units that have left some documents, as far as searches find them. Their pieces go with them. */
export async function formerRowsOf(
  connection: Connection,
  index: string,
  documents: readonly { readonly organization: string; readonly id: string }[],
): Promise<readonly DocumentRow[]> {
  const found: DocumentRow[] = [];
  for (let from = 0; from < documents.length; from += PAGE) {
    const query = { bool: { filter: [isPieceOfAny(documents.slice(from, from + PAGE)), hasLeft] } };
    for (let after: readonly (string | number)[] | null = null; ; ) {
      const body = {
        ...{ query, size: PAGE, _source: ['row'], sort: [{ id: 'asc' }], track_total_hits: false },
        ...(after !== null && { search_after: after }),
      };
      const [answer] = await connection.search([{ index, body }]);
      const hits = (answer?.hits.hits ?? []) as readonly Hit<{ readonly row: string }>[];
      for (const { _source } of hits) found.push(rowFrom(_source.row));
      if (hits.length < PAGE) break;
      after = hits.at(-1)?.sort ?? null;
    }
  }
  return found.filter(({ piece }) => piece?.unitId === undefined);
}
