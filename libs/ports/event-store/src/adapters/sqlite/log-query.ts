import type { SQLInputValue } from 'node:sqlite';
import type { EventFilter } from '../../port.ts';
import type { Column, Statements } from './statements.ts';
import { RECORDED_WIDTH, type RecordedRows } from './wire.ts';

/** Limit of the events that one filtered read examines, so that a rare match does not delay every writer. */
const MAX_EXAMINED = 20_000;

const columnsWith = (payload: string) =>
  `e.position, s.name, e.revision, e.id, e.type, e.organization, e.envelope, ${payload} FROM events e JOIN streams s ON s.no = e.stream`;
export const COLUMNS = columnsWith('e.payload');
const ENVELOPE_COLUMNS = columnsWith('NULL');

export interface LogRange {
  readonly after: number;
  /** Position of the newest event. */
  readonly head: number;
  readonly limit: number;
  readonly filter: Pick<EventFilter, 'types' | 'organization'>;
  /** Numbers of the categories; undefined: all. */
  readonly categories: readonly number[] | undefined;
  readonly envelopesOnly: boolean;
}

export interface ReadRange {
  readonly rows: RecordedRows;
  /** Position up to which the log was examined; 0: empty log. */
  readonly position: number;
  readonly end: boolean;
}

/** Reads a range of the whole log. */
export function readLog(statements: Statements, range: LogRange): ReadRange {
  const { after, head, limit, filter, categories } = range;
  if (after >= head) return { rows: [], position: head, end: true };
  const columns = range.envelopesOnly ? ENVELOPE_COLUMNS : COLUMNS;
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  if (filter.types) {
    conditions.push(`e.type IN (${filter.types.map(() => '?')})`);
    values.push(...filter.types);
  }
  if (filter.organization !== undefined) {
    conditions.push('e.organization = ?');
    values.push(filter.organization);
  }
  const upTo = conditions.length > 0 ? Math.min(after + MAX_EXAMINED, head) : head;
  const where = ['e.position > ?', 'e.position <= ?', ...conditions].join(' AND ');
  const bounds = [after, upTo, ...values];

  let rows: Column[];
  if (categories?.length === 0) rows = [];
  else if (categories) {
    // One ordered walk of the index per category, merged by SQLite up to the limit: events of other categories are not
    // touched.
    const walk = `SELECT ${columns} WHERE e.category = ? AND ${where}`;
    rows = statements.rows(`${categories.map(() => walk).join(' UNION ALL ')} ORDER BY 1 LIMIT ?`, [
      ...categories.flatMap((category) => [category, ...bounds]),
      limit,
    ]);
  } else rows = statements.rows(`SELECT ${columns} WHERE ${where} ORDER BY e.position LIMIT ?`, [...bounds, limit]);

  const isFull = rows.length === limit * RECORDED_WIDTH;
  const position = isFull ? (rows[rows.length - RECORDED_WIDTH] as number) : upTo;
  return { rows, position, end: position >= head };
}
