import type { OrganizationId, Scope } from '#platform/kernel';
import type { DocumentRow } from '../../documents.ts';
import type { DocumentQuery, HeldKind, NewestMemoriesQuery } from '../../queries.ts';
import { textHash } from '../../statements.ts';
import { toColumn } from '../../text.ts';
import { namedThen, scopeThen } from '../../wanted.ts';
import type { Body } from './connection.ts';
import { formerTagTerms, hadAt, keptSince } from './former-tags.ts';
import { filterQuery, type MetadataTerms, metadataTerms } from './metadata-terms.ts';
import { hasLeft, inactiveAt, isFormer, isPiece, momentTerms, pieceTerms } from './moments.ts';
import { anyOf, none, termOf } from './term.ts';

/** Returns the id of a document in all indices. */
export const documentKey = (organization: string, id: string): string => termOf('document', organization, id);

/** Returns the term of a column's value in the index of a read model. */
export const columnTerm = (column: string, value: string | number): string | number =>
  typeof value === 'string' ? termOf('column', column, value) : value;

/** Fields by which every row of a document or unit is filtered; they follow from the document's row alone. */
export interface FilterTerms extends MetadataTerms {
  readonly organization: string;
  readonly tags: readonly string[];
  /** The document's path and every folder above it. */
  readonly paths: readonly string[];
}

export function filterTerms(row: DocumentRow): FilterTerms {
  const { organization, tags, filepath, memory, piece } = row;
  const { facts, numbers, texts, folds } = metadataTerms(row);
  if (memory !== undefined && !piece) facts.push(DIRECT, hashTerm(memory.textHash));
  if (memory?.isStatic) facts.push(STATIC);
  if (memory?.documentId !== undefined) facts.push(TOUCHED);
  if (piece !== undefined) facts.push(...pieceTerms(row), partTerm(organization, piece.documentId));
  numbers.push(...momentTerms(row), ...formerTagTerms(row));
  return {
    organization: toColumn(organization),
    tags: [...new Set(tags)].map((tag) => termOf('tag', organization, tag)),
    paths: filepath === null ? [] : pathTerms(organization, filepath),
    ...{ facts, numbers, texts, folds },
  };
}

/** Conditions of a scope. They also limit the statistics of a search; filters do not. */
export function inScope({ organization, tags }: Scope): Body[] {
  const own = { term: { organization: toColumn(organization) } };
  return tags === 'all' ? [own] : [own, { terms: { tags: tags.map((tag) => termOf('tag', organization, tag)) } }];
}

/** Conditions of the scope whose units are ranked among each other: by the tags of then, if the query names some. */
export function inRankedScope(query: Pick<DocumentQuery, 'scope' | 'asOf' | 'tagsThen'>): Body[] {
  const { scope } = query;
  const then = namedThen(query);
  if (then === null) return inScope(scope);
  const kept = { bool: { filter: [...inScope(scopeThen(query)), keptSince(then.at)] } };
  return [...inScope(scope), anyOf([kept, hadAt(scope.organization, then.tags, then.at)])];
}

/** Conditions of a query beside its scope. */
export function restrictions({ scope, filter, filepath, activeAt }: DocumentQuery): Body[] {
  const conditions: Body[] = [];
  if (filepath !== null) {
    const kind = filepath.endsWith('/') ? 'under' : 'at';
    conditions.push({ term: { paths: pathTerm(kind, scope.organization, filepath) } });
  }
  if (filter !== null) conditions.push(filterQuery(filter));
  if (activeAt !== undefined) conditions.push(none(inactiveAt(activeAt)));
  return conditions;
}

/** Among the facts of documents and of units with vectors of this second space. */
export const secondSpaceTerms = (space: string | null): string[] =>
  space === null ? [] : [termOf('second space', space)];

/** Condition: with vectors of one of these spaces, their own or second ones. */
export const hasVectorsOf = (spaces: readonly string[]): Body =>
  anyOf([
    { terms: { space: spaces.map(toColumn) } },
    { terms: { facts: spaces.flatMap((space) => secondSpaceTerms(space)) } },
  ]);

/** Marks memories with rows of their own, recorded directly or touched. Among the facts. */
const DIRECT = termOf('recorded directly');
/** Marks memories of documents that have rows of their own. */
const TOUCHED = termOf('touched');
const partTerm = (organization: string, id: string): string => termOf('piece of', organization, id);

export const isTouched: Body = { term: { facts: TOUCHED } };

/** Condition: a piece of one of the documents. */
export const isPieceOfAny = (documents: readonly { readonly organization: string; readonly id: string }[]): Body => ({
  terms: { facts: documents.map(({ organization, id }) => partTerm(organization, id)) },
});

export const isPieceOf = (organization: string, id: string): Body => isPieceOfAny([{ organization, id }]);

/** Marks memories that were recorded as lasting facts. */
const STATIC = termOf('static');

/** Conditions: memories that are lasting facts, or all others. */
export const ofKind = ({ isStatic }: NewestMemoriesQuery): Body[] => {
  const marked: Body = { term: { facts: STATIC } };
  return isStatic === undefined ? [] : [isStatic ? marked : none(marked)];
};

/** By which memories with a text are found. Among the facts. */
const hashTerm = (hash: string): string => termOf('memory with text', hash);

/** Returns by which memories with a text are found. */
export const textTerm = (organization: string, text: string): string => hashTerm(textHash(organization, text));

export const isDirect: Body = { term: { facts: DIRECT } };

/** Conditions: what a list holds. */
export function ofHeld(held: HeldKind = 'documents'): Body[] {
  switch (held) {
    case 'memories':
      return [isDirect];
    case 'documents':
      return [none(isDirect), none(isPiece)];
    case 'sources':
      return [none(isTouched), none(isPiece)];
    case 'both':
      return [none(isPiece)];
  }
}

/** Conditions: what a search finds. Pieces are found as parts of their documents, and earlier versions as their memories. */
export function searchedOf(held: HeldKind = 'both'): Body[] {
  switch (held) {
    case 'both':
      return [];
    case 'documents':
      return [none(isDirect), anyOf([none(isFormer), hasLeft])];
    case 'memories':
      return [anyOf([isDirect, isFormer]), none(hasLeft)];
    case 'sources':
      return ofHeld(held);
  }
}

function pathTerms(organization: OrganizationId, filepath: string): string[] {
  const terms = [pathTerm('at', organization, filepath)];
  for (let slash = filepath.indexOf('/'); slash !== -1; slash = filepath.indexOf('/', slash + 1)) {
    terms.push(pathTerm('under', organization, filepath.slice(0, slash + 1)));
  }
  return terms;
}

const pathTerm = (kind: 'at' | 'under', organization: OrganizationId, path: string): string =>
  termOf(kind, organization, path);
