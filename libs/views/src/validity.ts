import type { DocumentRow } from './documents.ts';

export type Dated = Pick<DocumentRow, 'memory' | 'documentDate' | 'createdAt'>;

/** Returns for which dates a row counts: from that of its document, or its creation, on. Milliseconds since the epoch. */
export function validityOf({ memory, documentDate, createdAt }: Dated): {
  readonly from: number;
  readonly until: number | null;
} {
  return memory?.valid ?? { from: dateOf(documentDate) ?? createdAt, until: null };
}

/** Null: there is no date, or none that can be read. */
export function dateOf(text: string | null): number | null {
  const date = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? null : date;
}
