import type { DocumentRow } from '../../documents.ts';
import { cutTime, isOfLeftUnits } from '../../pieces.ts';
import type { DocumentQuery } from '../../queries.ts';
import { validityOf } from '../../validity.ts';
import type { Body } from './connection.ts';
import { anyOf, LAST, none, orderedTerm, termOf } from './term.ts';

/** Moments of rows, which are among the numbers that filters compare, and marks among the facts. */

/** In front of the moments from which memories are inactive. */
const INACTIVE = termOf('inactive from');
/** In front of the moments at which it is due to be recorded that memories have expired. */
const EXPIRES = termOf('expires');
/** In front of the moments from which and until which pieces are shown. */
const [BEGINS, ENDS] = [termOf('piece from'), termOf('piece until')] as const;
/** In front of the moments from which and until which earlier versions were there, and of the moment of a creation. */
const [KNOWN, REPLACED, CREATED] = [termOf('known from'), termOf('replaced at'), termOf('created at')] as const;
/** In front of the moments from which and until which rows count. */
const [VALID_FROM, VALID_UNTIL] = [termOf('valid from'), termOf('valid until')] as const;

/** Marks pieces of units. */
const PIECE = termOf('piece');
/** Marks what is of the past, which are pieces too, but shown by other moments. */
const FORMER = termOf('former');
/** Marks units that have left their documents. */
const LEFT = termOf('left its document');

export const isPiece: Body = { term: { facts: PIECE } };
/** Condition: an earlier version of a memory, or a unit that has left its document. */
export const isFormer: Body = { term: { facts: FORMER } };
/** Condition: a unit that has left its document. */
export const hasLeft: Body = { term: { facts: LEFT } };

/** Returns what marks a piece. */
export function pieceTerms(row: Pick<DocumentRow, 'memory' | 'piece'>): readonly string[] {
  if (row.piece === undefined) return [];
  if (!row.piece.isFormer) return [PIECE];
  return isOfLeftUnits(row) ? [PIECE, FORMER, LEFT] : [PIECE, FORMER];
}

/** Returns the terms of all moments of a row. */
export function momentTerms(row: Pick<DocumentRow, 'memory' | 'piece' | 'documentDate' | 'createdAt'>): string[] {
  const { memory, piece, createdAt } = row;
  const valid = validityOf(row);
  const [begins, ends] = piece?.isFormer ? [KNOWN, REPLACED] : [BEGINS, ENDS];
  const moments: readonly (readonly [prefix: string, moment: number | null | undefined])[] = [
    [CREATED, createdAt],
    [VALID_FROM, valid.from],
    [VALID_UNTIL, valid.until],
    [begins, piece?.from],
    [ends, piece?.until],
    [BEGINS, piece?.cut?.from],
    [ENDS, piece?.cut?.until],
    [INACTIVE, memory?.inactiveFrom],
    [EXPIRES, memory?.expiresAt],
  ];
  return moments.flatMap(([prefix, moment]) => (moment == null ? [] : [orderedTerm(prefix, moment)]));
}

/** Returns the term of the creation among the numbers of a row. */
export const createdAtIn = (numbers: readonly (string | number)[]): string =>
  String(numbers.find((one) => String(one).startsWith(CREATED)));

/** Condition: no piece, or one that the times of a query show. */
export function isShown(query: Pick<DocumentQuery, 'cutAt' | 'asOf' | 'validAt'>): Body {
  const at = cutTime(query);
  const shown = [none(isPiece), { bool: { filter: [upTo(BEGINS, at)], must_not: [upTo(ENDS, at)] } }];
  if (query.validAt !== undefined) return anyOf([...shown, isFormer]);
  return query.asOf === undefined ? anyOf(shown) : anyOf([...shown, wasThereAt(query.asOf, at)]);
}

/** Condition: of the past, and there at a time. */
const wasThereAt = (time: number, cutAt: number): Body => ({
  bool: {
    filter: [isFormer, upTo(KNOWN, time)],
    must_not: [upTo(REPLACED, time), later(BEGINS, cutAt), upTo(ENDS, cutAt)],
  },
});

/** Conditions: they count for the date of the query. */
export const validOn = ({ validAt }: Pick<DocumentQuery, 'validAt'>): Body[] =>
  validAt === undefined ? [] : [none(later(VALID_FROM, validAt)), none(upTo(VALID_UNTIL, validAt))];

/** Condition: a moment behind a prefix is later. */
export const later = (prefix: string, time: number): Body => ({
  range: { numbers: { gt: orderedTerm(prefix, time), lt: prefix + LAST } },
});

/** Conditions: created at the time of the query at the latest. */
export const createdBy = ({ asOf }: Pick<DocumentQuery, 'asOf'>): Body[] =>
  asOf === undefined ? [] : [none(later(CREATED, asOf))];

const upTo = (prefix: string, time: number): Body => ({
  range: { numbers: { gte: prefix, lte: orderedTerm(prefix, time) } },
});

/** Condition: forgotten, or expired by the time. */
export const inactiveAt = (time: number): Body => upTo(INACTIVE, time);

/** Condition: expired by the time, without a record of it. */
export const expiredBy = (time: number): Body => upTo(EXPIRES, time);
