import type { DocumentRow } from './documents.ts';
import { isOfLeftUnits } from './pieces.ts';

export type DatedRow = Pick<DocumentRow, 'memory' | 'piece' | 'documentDate' | 'createdAt'>;

/** Milliseconds since the epoch: the last moment that a date can name. */
const LAST_MOMENT = 8.64e15;

/** Of what has left a document: no date finds it. */
export const NEVER = { from: LAST_MOMENT, until: null } as const;

/** Returns for which dates a row counts: from that of its document, or its creation, on. Milliseconds since the epoch. */
export function validityOf({ memory, piece, documentDate, createdAt }: DatedRow): {
  readonly from: number;
  readonly until: number | null;
} {
  if (isOfLeftUnits({ memory, piece })) return NEVER;
  return memory?.valid ?? { from: dateOf(documentDate) ?? createdAt, until: null };
}

/** Null: there is no date, or none that can be read. */
export function dateOf(text: string | null): number | null {
  const date = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? null : date;
}
