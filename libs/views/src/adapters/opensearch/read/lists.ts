import type { DocumentListQuery, DocumentQuery, UnfinishedDocument } from '../../../port.ts';
import { toColumn } from '../../../text.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { customIdTerm, rowFrom, sourceTerm } from '../documents.ts';
import { inScope, restrictions } from '../terms.ts';

/** OpenSearch gives no hit beyond this place of a list; what stands further on is reached step by step. */
const WINDOW = 10_000;

export interface RowSource {
  readonly row: string;
  readonly unitsRevision: number;
  readonly chunks: number;
  readonly memories: number;
}

export const ROW_COLUMNS = ['row', 'unitsRevision', 'chunks', 'memories'];

/** What a list asks of a document. */
export function listed(query: DocumentListQuery): Body {
  const conditions = [...inScope(query.scope), ...restrictions(query)];
  if (query.stages !== null) conditions.push({ terms: { stage: query.stages } });
  if (query.source !== null) conditions.push({ term: { source: sourceTerm(query.source) } });
  if (query.customId !== null) conditions.push({ term: { customId: customIdTerm(query.customId) } });
  return { bool: { filter: conditions } };
}

/** Documents that are done and hold memories. */
export function withMemories(query: DocumentQuery): Body {
  const conditions = [{ term: { stage: 'done' } }, { range: { memories: { gt: 0 } } }];
  return { bool: { filter: [...inScope(query.scope), ...restrictions(query), ...conditions] } };
}

export interface Page {
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

interface Found {
  readonly rows: readonly Hit<RowSource>[];
  readonly total: number;
}

/** @returns the rows of a page in the order asked for, ties by id in the same direction, and how many there are in all */
export async function page(connection: Connection, index: string, query: Body, asked: Page): Promise<Found> {
  const { offset, limit } = asked;
  if (offset + limit <= WINDOW) return ask(connection, index, query, { ...asked, from: offset, size: limit });
  const { total } = await ask(connection, index, query, { ...asked, from: 0, size: 0 });
  const end = Math.min(total, offset + limit);
  if (offset >= end) return { rows: [], total };
  const rows: Hit<RowSource>[] = [];
  let after = await placeBefore(connection, index, query, asked, offset, total);
  while (rows.length < end - offset) {
    const size = Math.min(WINDOW, end - offset - rows.length);
    const { rows: next } = await ask(connection, index, query, { ...asked, after, from: 0, size });
    if (next.length === 0) break;
    rows.push(...next);
    after = next.at(-1)?.sort ?? null;
  }
  return { rows, total };
}

type Place = readonly (string | number)[] | null;

/** Where the list stands before a place, counted from the nearer end. Null: at its beginning. */
async function placeBefore(
  connection: Connection,
  index: string,
  query: Body,
  { sort, order }: Page,
  offset: number,
  total: number,
): Promise<Place> {
  const fromEnd = total - offset + 1;
  const backwards = fromEnd < offset;
  const step = { sort, order: backwards ? opposite(order) : order, columns: false };
  let after: Place = null;
  for (let left = backwards ? fromEnd : offset; left > 0; ) {
    const { rows } = await ask(connection, index, query, { ...step, after, from: 0, size: Math.min(WINDOW, left) });
    if (rows.length === 0) break;
    after = rows.at(-1)?.sort ?? null;
    left -= rows.length;
  }
  return after;
}

const opposite = (order: 'asc' | 'desc') => (order === 'asc' ? 'desc' : 'asc');

interface Step {
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
  readonly after?: Place;
  readonly from: number;
  readonly size: number;
  /** False: only the places are wanted. */
  readonly columns?: boolean;
}

async function ask(
  connection: Connection,
  index: string,
  query: Body,
  { sort, order, after = null, from, size, columns = true }: Step,
): Promise<Found> {
  const body: Body = {
    query,
    from,
    size,
    _source: columns ? ROW_COLUMNS : false,
    sort: [{ [sort]: order }, { id: order }],
    track_total_hits: columns,
    ...(after !== null && { search_after: after }),
  };
  const [answer] = await connection.search([{ index, body }]);
  const { hits = [], total } = answer?.hits ?? {};
  return { rows: hits as Hit<RowSource>[], total: total?.value ?? 0 };
}

export interface PipelinePage {
  readonly after: UnfinishedDocument | null;
  readonly limit: number;
}

export const UNFINISHED: Body = { terms: { stage: ['queued', 'extracting', 'chunking', 'embedding', 'indexing'] } };

export async function countOf(connection: Connection, index: string, query: Body): Promise<number> {
  const [answer] = await connection.search([{ index, body: { query, size: 0, track_total_hits: true } }]);
  return answer?.hits.total?.value ?? 0;
}

/** Done, with units, none of which has a vector of the space. */
export const withoutSpace = (space: string): Body => ({
  bool: {
    filter: [
      { term: { stage: 'done' } },
      {
        bool: {
          should: [{ range: { chunks: { gt: 0 } } }, { range: { memories: { gt: 0 } } }],
          minimum_should_match: 1,
        },
      },
    ],
    must_not: [{ term: { space: toColumn(space) } }],
  },
});

/** Of all organizations, oldest first. */
export async function forPipeline(
  connection: Connection,
  index: string,
  query: Body,
  { after, limit }: PipelinePage,
): Promise<UnfinishedDocument[]> {
  const body: Body = {
    query,
    size: Math.min(limit, WINDOW),
    _source: ['row'],
    sort: [{ updatedAt: 'asc' }, { organization: 'asc' }, { id: 'asc' }],
    ...(after !== null && { search_after: [after.updatedAt, toColumn(after.organization), toColumn(after.id)] }),
  };
  const [answer] = await connection.search([{ index, body }]);
  return ((answer?.hits.hits ?? []) as Hit<RowSource>[]).map(({ _source }) => {
    const { organization, id, stage, contentVersion, tags, updatedAt } = rowFrom(_source.row);
    return { organization, id, stage, contentVersion, tag: tags[0] as string, updatedAt };
  });
}
