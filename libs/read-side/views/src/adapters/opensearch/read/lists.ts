import type { Scope } from '#platform/kernel';
import { DOCUMENT_TYPES, type DocumentRow } from '../../../documents.ts';
import type { ViewsReader } from '../../../port.ts';
import type {
  DocumentListQuery,
  HeldSpace,
  NewestMemoriesQuery,
  PipelinePage,
  UnfinishedDocument,
} from '../../../queries.ts';
import { toColumn } from '../../../text.ts';
import { toUnfinished } from '../../../to-unfinished.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { customIdTerm, ofTypes, rowFrom, SUMMARIZED, sentTerm, sourceTerm, type UnitCounts } from '../documents.ts';
import { hasLeft, isFormer, isPiece, isShown, validOn } from '../moments.ts';
import { anyOf, none } from '../term.ts';
import {
  inRankedScope,
  inScope,
  isDirect,
  isTouched,
  ofHeld,
  ofKind,
  restrictions,
  secondSpaceTerms,
  textTerm,
} from '../terms.ts';
import { WINDOW } from './paging.ts';

export interface RowSource {
  readonly row: string;
  readonly unitsRevision: number;
  readonly chunks: number;
  readonly memories: number;
}

/** A document's row with the number of its units and the revision at which they were written. */
export interface FoundDocument extends UnitCounts {
  readonly row: DocumentRow;
}

export const foundDocument = ({ _source: { row, ...counts } }: Hit<RowSource>): FoundDocument => ({
  row: rowFrom(row),
  ...counts,
});

export const byMoment = (moment: 'createdAt' | 'updatedAt') => (order: 'asc' | 'desc') => [
  { [moment]: order },
  { id: order },
];

export const ROW_COLUMNS = ['row', 'unitsRevision', 'chunks', 'memories'];

/** Conditions of a list. */
export function conditionsOf(query: DocumentListQuery): Body {
  const conditions = [...inScope(query.scope), ...restrictions(query), ...ofHeld(query.holds)];
  if (query.stages !== null) conditions.push({ terms: { stage: query.stages } });
  if (query.sources) conditions.push({ terms: { source: query.sources.map(sourceTerm) } });
  if (query.types) conditions.push(ofTypes(query.types));
  if (query.texts) {
    const terms = query.texts.map((text) => textTerm(query.scope.organization, text));
    conditions.push({ terms: { facts: terms } });
  }
  if (query.customIds) conditions.push({ terms: { customId: query.customIds.map(customIdTerm) } });
  conditions.push(
    ...within('createdAt', 'lte', query.createdUntil),
    ...within('updatedAt', 'lte', query.updatedUntil),
    ...within('updatedAt', 'gt', query.updatedAfter),
  );
  return { bool: { filter: conditions } };
}

const within = (field: string, comparison: 'lte' | 'gt', time: number | null = null): Body[] =>
  time === null ? [] : [{ range: { [field]: { [comparison]: time } } }];

/** Conditions: documents that were added by one of these requests between two times. */
export const addedAs = (
  scope: Scope,
  sent: readonly string[],
  { since, until }: Parameters<ViewsReader['addedAs']>[2],
): Body => ({
  bool: {
    filter: [
      ...inScope(scope),
      { terms: { facts: sent.map(sentTerm) } },
      { range: { createdAt: { gte: since, lte: until } } },
    ],
  },
});

/** Conditions: rows with memories. */
export function withMemories(query: NewestMemoriesQuery): Body {
  const conditions = [
    isShown(query),
    none(hasLeft),
    { range: { memories: { gt: 0 } } },
    ...ofKind(query),
    ...thereAt(query),
    ...validOn(query),
  ];
  return { bool: { filter: [...inRankedScope(query), ...restrictions(query), ...conditions] } };
}

/** Conditions: what was there at the time of the query, in documents that have not changed since. */
function thereAt({ asOf }: NewestMemoriesQuery): Body[] {
  if (asOf === undefined) return [];
  const isMemory = anyOf([isDirect, isFormer]);
  const isUnchanged = anyOf([isMemory, ...within('updatedAt', 'lte', asOf)]);
  return [...within('createdAt', 'lte', asOf), isUnchanged, { bool: { must_not: [isTouched] } }];
}

export const UNFINISHED: Body = { terms: { stage: ['queued', 'extracting', 'chunking', 'embedding', 'indexing'] } };

export async function countOf(connection: Connection, index: string, query: Body): Promise<number> {
  const [answer] = await connection.search([{ index, body: { query, size: 0, track_total_hits: true } }]);
  return answer?.hits.total?.value ?? 0;
}

/** Counts the documents of each type, for types with any. */
export async function countTypes(
  connection: Connection,
  index: string,
  scope: Scope,
): Promise<readonly { readonly type: string; readonly count: number }[]> {
  const searches = DOCUMENT_TYPES.map((type) => ({
    index,
    body: { query: { bool: { filter: [...inScope(scope), ofTypes([type])] } }, size: 0, track_total_hits: true },
  }));
  const answers = await connection.search(searches);
  const counts = DOCUMENT_TYPES.map((type, i) => ({ type, count: answers[i]?.hits.total?.value ?? 0 }));
  return counts.filter(({ count }) => count > 0);
}

/** Returns those of some spaces of which documents in a scope have vectors. */
export async function heldSpaces(
  connection: Connection,
  index: string,
  scope: Scope,
  spaces: readonly string[],
): Promise<readonly HeldSpace[]> {
  const searches = spaces
    .flatMap((space) => [{ term: { space: toColumn(space) } }, { terms: { facts: secondSpaceTerms(space) } }])
    .map((condition) => ({
      index,
      body: { query: { bool: { filter: [...inScope(scope), condition] } }, size: 0, track_total_hits: 1 },
    }));
  const answers = await connection.search(searches);
  const isAny = (place: number) => (answers[place]?.hits.total?.value ?? 0) > 0;
  return spaces.flatMap((space, i) => {
    const isOwn = isAny(2 * i);
    return isOwn || isAny(2 * i + 1) ? [{ space, isOwn }] : [];
  });
}

/** Conditions: done, with units, without vectors of the space. */
export const withoutSpaces = (spaces: readonly string[]): Body => ({
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
    must_not: [{ terms: { space: spaces.map(toColumn) } }, isPiece],
  },
});

/** Conditions: done, without a summary. */
export const WITHOUT_SUMMARY: Body = {
  bool: { filter: [{ term: { stage: 'done' } }], must_not: [{ term: { facts: SUMMARIZED } }] },
};

/** Lists documents of all organizations, oldest first. */
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
  return ((answer?.hits.hits ?? []) as Hit<RowSource>[]).map(({ _source }) => toUnfinished(rowFrom(_source.row)));
}
