import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { DocumentContents, type Live, PastDocuments } from '#documents';
import type { Scope } from '#kernel';
import { changedSince } from '#past';
import { toRow } from '#projections';
import { CurrentViews, type DocumentRow, isWanted } from '#views';
import type { DocumentListOptions } from '../list-documents/list-documents.query.ts';
import { ListPastDocuments } from './list-past-documents.query.ts';

/** Streams that are read at a time. */
const AT_ONCE = 64;

/** `document`: null if it is not read, or cannot be. */
interface Past {
  readonly row: DocumentRow;
  readonly document: Live | null;
}

/**
 * What has not changed since the time is selected and sorted by the views. The streams of all others are read, however few of
 * them are on the page: only their events tell what they were.
 */
@QueryHandler(ListPastDocuments)
export class ListPastDocumentsHandler implements IQueryHandler<ListPastDocuments> {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastDocuments,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ rights, tags, options, asOf }: ListPastDocuments) {
    const { page, limit, includeContent, ...query } = options;
    const views = await this.views.read();
    const ids = await changedSince(views, rights, asOf);
    const pasts = await this.#pasts(rights, ids, asOf);
    const changed = pasts.filter(({ row }) => isListed({ ...rights, tags }, options, row));

    // Of what has not changed, all before `offset` is on earlier pages, wherever the others are sorted in.
    const before = (page - 1) * limit;
    const offset = Math.max(before - changed.length, 0);
    const most = limit + before - offset;
    const scope = tags === 'all' ? rights : { ...rights, tags };
    const unchanged = await views.list({ ...query, scope, updatedUntil: asOf, offset, limit: most });
    const all = [...unchanged.rows.map((row): Past => ({ row, document: null })), ...changed];
    const onPage = all.sort((a, b) => compared(a.row, b.row, options)).slice(before - offset, most);
    const shown = await pLimit(AT_ONCE).map(onPage, (one) => this.#exact(rights, one, asOf));

    const contents = includeContent ? await this.contents.ofDocuments(shown.map(({ document }) => document)) : [];
    const documents = shown.map(({ row }, i) => ({ row, content: null, ...contents[i] }));
    return { documents, total: unchanged.total + changed.length };
  }

  async #pasts(rights: Scope, ids: readonly string[], asOf: number): Promise<readonly Past[]> {
    const scope = { ...rights, access: 'read' } as const;
    const found = await pLimit(AT_ONCE).map(ids, (id) => this.past.find(scope, id, asOf));
    return found.flatMap((one) => (one.ok ? [{ row: toRow(one.value, 0), document: one.value }] : []));
  }

  /** A summary that was formed later does not count as a change of the row. */
  async #exact(rights: Scope, shown: Past, asOf: number): Promise<Past> {
    if (shown.document !== null) return shown;
    const [exact] = await this.#pasts(rights, [shown.row.id], asOf);
    return exact ?? shown;
  }
}

function isListed(scope: Scope, options: DocumentListOptions, row: DocumentRow): boolean {
  const { filter, filepath, stages, sources, customIds } = options;
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
function compared(a: DocumentRow, b: DocumentRow, { sort, order }: DocumentListOptions): number {
  const ascending = a[sort] - b[sort] || (a.id < b.id ? -1 : 1);
  return order === 'asc' ? ascending : -ascending;
}
