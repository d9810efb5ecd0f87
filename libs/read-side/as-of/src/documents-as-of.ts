import pLimit from 'p-limit';
import type { Live, PastDocuments } from '#features/documents';
import type { Scope } from '#platform/kernel';
import { toRow } from '#read-side/projections';
import {
  type DocumentListQuery,
  type DocumentRow,
  isWanted,
  rankedScope,
  scopeThen,
  type ViewsReader,
} from '#read-side/views';
import { changedSince } from './changed-since.ts';

/** Streams that are read at a time. */
const AT_ONCE = 64;

/** A list of documents as they were at a time. Milliseconds since the epoch. */
export type PastDocumentsQuery = Omit<DocumentListQuery, 'asOf'> & { readonly asOf: number };

/** `document`: null if it cannot be read; its row is that of today then. */
export interface PastDocument {
  readonly row: DocumentRow;
  readonly document: Live | null;
}

/**
 * Returns a page of documents as they were at a time, with the exact total. What has not changed since is selected and sorted by
 * the views. The streams of all others are read, however few of them are on the page: only their events tell what they were.
 * @throws TooManyChangedError
 */
export async function documentsAsOf(
  views: Pick<ViewsReader, 'list'>,
  past: PastDocuments,
  { asOf, tagsThen = 'all', offset: before, limit, ...query }: PastDocumentsQuery,
): Promise<{ readonly documents: readonly PastDocument[]; readonly total: number }> {
  const { scope } = query;
  const tagged = { scope, asOf, tagsThen };
  const pasts = await pastsOf(past, scope, await changedSince(views, scope, asOf), asOf);
  const changed = pasts.filter(({ row }) => isListed({ ...query, scope: scopeThen(tagged) }, row));

  // Of what has not changed, all before `offset` is on earlier pages, wherever the others are sorted in.
  const offset = Math.max(before - changed.length, 0);
  const most = limit + before - offset;
  const unchanged = await views.list({ ...query, scope: rankedScope(tagged), updatedUntil: asOf, offset, limit: most });
  const all = [...unchanged.rows.map((row): PastDocument => ({ row, document: null })), ...changed];
  const onPage = all.sort((a, b) => compared(a.row, b.row, query)).slice(before - offset, most);
  const documents = await pLimit(AT_ONCE).map(onPage, (one) => exact(past, scope, one, asOf));
  return { documents, total: unchanged.total + changed.length };
}

async function pastsOf(
  past: PastDocuments,
  scope: Scope,
  ids: readonly string[],
  asOf: number,
): Promise<readonly PastDocument[]> {
  const found = await pLimit(AT_ONCE).map(ids, (id) => past.find({ ...scope, access: 'read' }, id, asOf));
  return found.flatMap((one) => (one.ok ? [{ row: toRow(one.value, 0), document: one.value }] : []));
}

/** A summary that was formed later does not count as a change of the row. */
async function exact(past: PastDocuments, scope: Scope, shown: PastDocument, asOf: number): Promise<PastDocument> {
  if (shown.document !== null) return shown;
  const [found] = await pastsOf(past, scope, [shown.row.id], asOf);
  return found ?? shown;
}

function isListed(query: Omit<DocumentListQuery, 'offset' | 'limit'>, row: DocumentRow): boolean {
  const { scope, filter, filepath, stages, sources = null, customIds = null } = query;
  return (
    isWanted({ scope, filter, filepath }, row) &&
    (stages === null || stages.includes(row.stage)) &&
    isOneOf(sources, row.source) &&
    isOneOf(customIds, row.customId)
  );
}

const isOneOf = (allowed: readonly string[] | null, value: string | null): boolean =>
  allowed === null || (value !== null && allowed.includes(value));

/** As the views sort: ties by id, in the same direction. */
function compared(a: DocumentRow, b: DocumentRow, { sort, order }: Pick<DocumentListQuery, 'sort' | 'order'>): number {
  const ascending = a[sort] - b[sort] || (a.id < b.id ? -1 : 1);
  return order === 'asc' ? ascending : -ascending;
}
