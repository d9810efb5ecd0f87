import { isoTime } from '#platform/kernel';
import { oneLine, shortened } from '#processing/languages';
import { type DocumentRow, foldedTextOf, type Unit } from '#read-side/views';

const MAX_SOURCE = 60;

/** A memory as it may stand in a context. */
export interface Statement {
  readonly id: string;
  /** One line. */
  readonly text: string;
  /** Equal for statements that repeat each other. */
  readonly key: string;
  /** ISO 8601 date or time. */
  readonly date: string;
  /** Null: it was recorded directly. */
  readonly source: string | null;
  /** Its place among the statements of a text: by date, document and place in the document. */
  readonly place: readonly [date: number, document: string, ordinal: number];
  /** Null: it answers no question. */
  readonly similarity: number | null;
}

interface Found {
  readonly unit: Unit;
  readonly document: DocumentRow;
  readonly similarity?: number;
}

export function toStatement({ unit, document, similarity }: Found): Statement {
  const { id, title, customId, memory } = document;
  const date = document.documentDate ?? isoTime(document.createdAt);
  const documentId = memory === undefined ? id : memory.documentId;
  return {
    ...{ id: unit.id, text: oneLine(unit.text), key: foldedTextOf(unit), date, similarity: similarity ?? null },
    source: documentId === undefined ? null : shortened(oneLine(title ?? customId ?? documentId), MAX_SOURCE),
    place: [Date.parse(date) || document.createdAt, documentId ?? id, unit.ordinal],
  };
}

export function inReadingOrder(statements: readonly Statement[]): readonly Statement[] {
  return statements.toSorted(({ place: [date, document, ordinal] }, { place: [otherDate, other, otherOrdinal] }) => {
    if (date !== otherDate) return date - otherDate;
    if (document !== other) return document < other ? -1 : 1;
    return ordinal - otherOrdinal;
  });
}
