import { type Condition, type Filter, metadataRows } from '#features/search';
import { type Filterable, filterableMetadata } from '../../filterable.ts';
import type { Body } from './connection.ts';
import { anyOf, LAST, none, orderedTerm, TERM_LETTERS, termOf } from './term.ts';

/** What filters find metadata by. */
export interface MetadataTerms {
  /** Terms of `equals` and `arrayContains`. */
  readonly facts: string[];
  /** Numbers in their order, behind their key. */
  readonly numbers: string[];
  /** Texts for `contains`, split: see {@link pieces}. */
  readonly texts: string[];
  readonly folds: string[];
}

export function metadataTerms(document: Filterable): MetadataTerms {
  const facts: string[] = [];
  const numbers: string[] = [];
  const texts: string[] = [];
  const folds: string[] = [];
  metadataRows(filterableMetadata(document)).forEach((row, place) => {
    if (row.element) facts.push(termOf('element', row.key, row.text), termOf('folded element', row.key, row.folded));
    if (!row.whole) return;
    facts.push(termOf('text', row.key, row.text), termOf('folded text', row.key, row.folded));
    if (row.isNumber) facts.push(termOf('number', row.key, row.number as number));
    if (row.number !== null) numbers.push(numberTerm(row.key, row.number));
    texts.push(...pieces(row.key, place, row.text));
    folds.push(...pieces(row.key, place, row.folded));
  });
  return { facts, numbers, texts, folds };
}

/** The condition of a filter. */
export function filterQuery(filter: Filter): Body {
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
