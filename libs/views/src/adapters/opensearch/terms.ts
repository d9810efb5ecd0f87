import { contentHash, type OrganizationId, type Scope } from '#kernel';
import { type Condition, type Filter, metadataRows } from '#search';
import type { DocumentRow } from '../../documents.ts';
import type { DocumentQuery, Held, NewestMemoriesQuery } from '../../port.ts';
import { textHash } from '../../statements.ts';
import { toColumn } from '../../text.ts';
import type { Body } from './connection.ts';
import { inactiveAt, isFormer, isPiece, momentTerms, pieceTerms } from './moments.ts';
import { anyOf, LAST, none, orderedTerm, TERM_LETTERS, termOf } from './term.ts';

/** Returns the id of a document in all indices. */
export const documentKey = (organization: string, id: string): string => termOf('document', organization, id);

/** Returns the term of a column's value in the index of a read model. */
export const columnTerm = (column: string, value: string | number): string | number =>
  typeof value === 'string' ? termOf('column', column, value) : value;

/** Fields by which every row of a document or unit is filtered; they follow from the document's row alone. */
export interface FilterTerms {
  readonly organization: string;
  readonly tags: readonly string[];
  /** The document's path and every folder above it. */
  readonly paths: readonly string[];
  /** Terms of `equals` and `arrayContains`. */
  readonly facts: readonly string[];
  /** Numbers in their order, behind their key. */
  readonly numbers: readonly string[];
  /** Texts for `contains`, split: see {@link pieces}. */
  readonly texts: readonly string[];
  readonly folds: readonly string[];
}

export function filterTerms(row: DocumentRow): FilterTerms {
  const { organization, tags, filepath, metadata, memory, piece } = row;
  const facts: string[] = [];
  const numbers: string[] = [];
  const texts: string[] = [];
  const folds: string[] = [];
  metadataRows(metadata).forEach((row, place) => {
    if (row.element) facts.push(termOf('element', row.key, row.text), termOf('folded element', row.key, row.folded));
    if (!row.whole) return;
    facts.push(termOf('text', row.key, row.text), termOf('folded text', row.key, row.folded));
    if (row.isNumber) facts.push(termOf('number', row.key, row.number as number));
    if (row.number !== null) numbers.push(numberTerm(row.key, row.number));
    texts.push(...pieces(row.key, place, row.text));
    folds.push(...pieces(row.key, place, row.folded));
  });
  if (memory !== undefined && !piece) facts.push(DIRECT, hashTerm(memory.textHash));
  if (memory?.isStatic) facts.push(STATIC);
  if (memory?.documentId !== undefined) facts.push(TOUCHED);
  if (piece !== undefined) facts.push(...pieceTerms(piece), partTerm(organization, piece.documentId));
  numbers.push(...momentTerms(row));
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

/** Among the facts of documents and of units with vectors of this second space: a field of its own would be another shape. */
export const secondSpaceTerms = (space: string | null): string[] =>
  space === null ? [] : [termOf('second space', space)];

/** Condition: with vectors of one of these spaces, their own or second ones. */
export const hasVectorsOf = (spaces: readonly string[]): Body =>
  anyOf([
    { terms: { space: spaces.map(toColumn) } },
    { terms: { facts: spaces.flatMap((space) => secondSpaceTerms(space)) } },
  ]);

/** Marks memories with rows of their own, recorded directly or touched. Among the facts, so that the indices keep their shape. */
const DIRECT = termOf('recorded directly');
/** Marks memories of documents that have rows of their own. */
const TOUCHED = termOf('touched');
const partTerm = (organization: string, id: string): string => termOf('piece of', organization, id);

export const isTouched: Body = { term: { facts: TOUCHED } };

/** Condition: a piece of the document. */
export const isPieceOf = (organization: string, id: string): Body => ({
  term: { facts: partTerm(organization, id) },
});

/** Marks memories that were recorded as lasting facts. */
const STATIC = termOf('static');

/** Conditions: memories that are lasting facts, or all others. */
export const ofKind = ({ isStatic }: NewestMemoriesQuery): Body[] => {
  const marked: Body = { term: { facts: STATIC } };
  return isStatic === undefined ? [] : [isStatic ? marked : none(marked)];
};

/** By which memories with a text are found. Among the facts. */
const hashTerm = (hash: string): string => termOf('memory with text', hash);

/** Returns by which memories with a text are found; in rows of earlier versions, only those with exactly this text. */
export const textTerms = (organization: string, text: string): readonly string[] =>
  [textHash(organization, text), contentHash(organization, text)].map(hashTerm);

export const isDirect: Body = { term: { facts: DIRECT } };

/** Conditions: what a list holds. */
export function ofHeld(held: Held = 'documents'): Body[] {
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
export function searchedOf(held: Held = 'both'): Body[] {
  switch (held) {
    case 'both':
      return [];
    case 'documents':
      return [none(isDirect), none(isFormer)];
    case 'memories':
      return [anyOf([isDirect, isFormer])];
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

function filterQuery(filter: Filter): Body {
  switch (filter.kind) {
    case 'and':
      return { bool: { filter: filter.nodes.map(filterQuery) } };
    case 'or':
      return anyOf(filter.nodes.map(filterQuery));
    default:
      return conditionQuery(filter);
  }
}

function conditionQuery(condition: Condition): Body {
  if (condition.kind === 'numeric') {
    const { key, operator, value } = condition;
    const query = numbersQuery(key, operator, value);
    return operator === '!=' ? none(query) : query;
  }
  const query = textQuery(condition);
  return condition.negate ? none(query) : query;
}

function textQuery(condition: Exclude<Condition, { kind: 'numeric' }>): Body {
  const { key, value, ignoreCase } = condition;
  const folded = ignoreCase ? 'folded ' : '';
  switch (condition.kind) {
    case 'equals': {
      const facts = [termOf(`${folded}text`, key, value)];
      if (condition.number !== null) facts.push(termOf('number', key, condition.number));
      return { terms: { facts } };
    }
    case 'arrayContains':
      return { term: { facts: termOf(`${folded}element`, key, value) } };
    case 'contains':
      return {
        script: {
          script: { ...HOLDS_TEXT, params: { field: ignoreCase ? 'folds' : 'texts', key: keyTerm(key), value } },
        },
      };
  }
}

const keyTerm = (key: string): string => termOf('key', key);

const numberTerm = (key: string, number: number): string => orderedTerm(keyTerm(key), number);

function numbersQuery(key: string, operator: '=' | '!=' | '<' | '<=' | '>' | '>=', value: number): Body {
  const term = numberTerm(key, value);
  switch (operator) {
    case '=':
    case '!=':
      return { term: { numbers: term } };
    case '<':
      return { range: { numbers: { gte: keyTerm(key), lt: term } } };
    case '<=':
      return { range: { numbers: { gte: keyTerm(key), lte: term } } };
    case '>':
      return { range: { numbers: { gt: term, lt: keyTerm(key) + LAST } } };
    case '>=':
      return { range: { numbers: { gte: term, lt: keyTerm(key) + LAST } } };
  }
}

/** At most three bytes per character, so that a piece stays below the limit of a term. */
const PIECE_LETTERS = 10_000;
const PLACE_LETTERS = 4;
const PIECE_NUMBER_LETTERS = 2;

/**
 * Splits a text into terms of doc values, which come back in their order: the key's term, the number of the row, the
 * number of the piece, and the piece.
 */
function pieces(key: string, row: number, text: string): string[] {
  const start = keyTerm(key) + hexadecimal(row, PLACE_LETTERS);
  const found: string[] = [];
  for (let from = 0; from < text.length || found.length === 0; ) {
    let end = Math.min(text.length, from + PIECE_LETTERS);
    // A surrogate pair is one character in UTF-8 and is not split.
    if (end < text.length && text.codePointAt(end - 1) !== text.charCodeAt(end - 1)) end -= 1;
    found.push(start + hexadecimal(found.length, PIECE_NUMBER_LETTERS) + text.slice(from, end));
    from = end;
  }
  return found;
}

const hexadecimal = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/** Joins the pieces of every text of the key, and searches each text. */
const HOLDS_TEXT = {
  lang: 'painless',
  source: `
    String row = null;
    StringBuilder text = new StringBuilder();
    for (String term : doc[params.field]) {
      if (!term.startsWith(params.key)) continue;
      String own = term.substring(${TERM_LETTERS}, ${TERM_LETTERS + PLACE_LETTERS});
      if (row != null && !own.equals(row)) {
        if (text.indexOf(params.value) >= 0) return true;
        text.setLength(0);
      }
      row = own;
      text.append(term.substring(${TERM_LETTERS + PLACE_LETTERS + PIECE_NUMBER_LETTERS}));
    }
    return row != null && text.indexOf(params.value) >= 0;
  `,
};
