import { mnemeError, type Scope } from '#platform/kernel';
import type { DocumentListQuery, DocumentRow, ViewsReader } from '#read-side/views';

/** Documents of one organization that may have changed since the time of a question. */
export const MOST_CHANGED = 20_000;
/** Rows of one page of the views. */
const PAGE = 1_000;

/** More than `MOST_CHANGED` documents have changed since the time of a question. */
export class TooManyChangedError extends mnemeError('permanent', 'too_many_changed') {}

/** Ids of documents that were there at a time, and have changed since. @throws TooManyChangedError */
export async function changedSince(
  views: Pick<ViewsReader, 'list'>,
  scope: Scope,
  at: number,
): Promise<readonly string[]> {
  const rows = await everyRow(views, scope, { createdUntil: at, updatedAfter: at });
  return rows.map(({ id }) => id);
}

/** Returns all rows of a list. @throws TooManyChangedError if there are more than `MOST_CHANGED` */
export async function everyRow(
  views: Pick<ViewsReader, 'list'>,
  scope: Scope,
  restrictions: Partial<DocumentListQuery>,
): Promise<readonly DocumentRow[]> {
  const found: DocumentRow[] = [];
  for (let total = 1; found.length < total; ) {
    const { rows, total: all } = await views.list({
      ...{ scope, filter: null, filepath: null, stages: null, ...restrictions },
      ...{ sort: 'createdAt', order: 'asc', offset: found.length, limit: PAGE },
    });
    if (all > MOST_CHANGED) throw new TooManyChangedError(`${all} documents have changed since`);
    if (rows.length === 0) break;
    total = all;
    found.push(...rows);
  }
  return found;
}
