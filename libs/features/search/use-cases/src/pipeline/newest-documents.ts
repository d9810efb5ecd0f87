import type { PastDocuments } from '#features/documents';
import { documentsAsOf, type HitsAsOf } from '#read-side/as-of';
import { toRow } from '#read-side/projections';
import { type DocumentRow, isWanted, scopeThen, type Unit, type ViewsReader } from '#read-side/views';
import { firstShown, readChunks } from './cut-units.ts';
import type { CandidateQuery } from './search-plan.ts';

/** Reads documents as they are, and as they were. */
export interface DocumentSources {
  readonly views: ViewsReader;
  readonly past: PastDocuments;
}

const NEWEST = { sort: 'createdAt', order: 'desc', offset: 0 } as const;
/** Stages of documents whose chunks the views have: a document is done before its row says so. */
const WITH_CHUNKS = ['embedding', 'indexing', 'done'] as const;

/**
 * Retrieves for the question `*`: the newest documents that have a chunk to show, each with its beginning.
 * @param asOf null: the question is about the present
 * @throws TooManyChangedError
 */
export async function newestDocuments(
  sources: DocumentSources,
  query: CandidateQuery,
  limit: number,
  asOf: HitsAsOf | null,
): Promise<readonly { readonly document: DocumentRow; readonly unit: Unit }[]> {
  const { views } = sources;
  const documents = await (asOf === null ? presentRows(views, query, limit) : pastRows(sources, query, limit));
  const ids = documents.map(({ id }) => id);
  const present = asOf === null ? documents : await views.documents(query.scope, ids);
  const first = present.map((document) => ({ document, ordinals: [firstShown(document, 'chunk', query.cutAt)] }));
  const chunks = Map.groupBy(await readChunks(views, query, first, asOf), ({ documentId }) => documentId);
  return documents.flatMap((document) => {
    const [beginning] = chunks.get(document.id) ?? [];
    return beginning === undefined ? [] : [{ document, unit: beginning.unit }];
  });
}

async function presentRows(
  views: ViewsReader,
  { scope, filter, filepath, documentId }: CandidateQuery,
  limit: number,
): Promise<readonly DocumentRow[]> {
  const query = { scope, filter, filepath };
  if (documentId === null) return (await views.list({ ...query, ...NEWEST, stages: WITH_CHUNKS, limit })).rows;
  return (await views.documents(scope, [documentId])).filter((row) => isWanted(query, row));
}

async function pastRows(
  { views, past }: DocumentSources,
  { scope, filter, filepath, documentId, asOf = 0, tagsThen = 'all' }: CandidateQuery,
  limit: number,
): Promise<readonly DocumentRow[]> {
  const query = { scope, tagsThen, filter, filepath };
  if (documentId === null) {
    // The present row does not say whether the document was done then.
    const list = { ...query, asOf, stages: null, ...NEWEST, limit };
    return (await documentsAsOf(views, past, list)).documents.map(({ row }) => row);
  }
  const found = await past.find({ ...scope, access: 'read' }, documentId, asOf);
  if (!found.ok) return [];
  return [toRow(found.value, 0)].filter((row) => isWanted({ scope: scopeThen(query), filter, filepath }, row));
}
