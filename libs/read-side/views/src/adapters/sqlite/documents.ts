import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OrganizationId } from '#platform/kernel';
import type { DocumentRow, Unit, UnitKind } from '../../documents.ts';
import type { DocumentListQuery } from '../../queries.ts';
import { toColumn } from '../../text.ts';
import { kindNumber } from './numbers.ts';
import { rowFromColumns, UNIT_COLUMNS, type UnitColumns, unitFromColumns } from './rows.ts';

/** A part of the memories of a document at a time: milliseconds since the epoch. */
type ShownMemories = Pick<DocumentListQuery, 'order' | 'offset' | 'limit'> & { readonly at: number };

const NONE: ReadonlySet<number> = new Set();

/** Reads single documents and units. Scopes are checked by the caller. */
export class DocumentTable {
  readonly #number: StatementSync;
  readonly #row: StatementSync;
  readonly #sent: StatementSync;
  readonly #unit: StatementSync;
  readonly #memories: Readonly<Record<'asc' | 'desc', StatementSync>>;
  readonly #firstUnits: StatementSync;

  constructor(db: DatabaseSync) {
    this.#number = db.prepare('SELECT no FROM documents WHERE organization = ? AND id = ?');
    this.#row = db.prepare('SELECT row, metadata FROM documents WHERE no = ?');
    this.#sent = db.prepare(
      `SELECT row, metadata FROM documents INDEXED BY documents_by_sent
        WHERE sent IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id DESC`,
    );
    this.#unit = db.prepare(`SELECT ${UNIT_COLUMNS} FROM units WHERE document = ? AND kind = ? AND ordinal = ?`);
    this.#unit.setReturnArrays(true);
    const memories = (order: 'ASC' | 'DESC') => {
      const statement = db.prepare(
        `SELECT ${UNIT_COLUMNS} FROM units WHERE document = ? AND kind = 1 AND NOT EXISTS (
            SELECT 1 FROM left_units WHERE document = units.document AND kind = 1 AND ordinal = units.ordinal
                AND since <= ?)
          ORDER BY ordinal ${order} LIMIT ? OFFSET ?`,
      );
      statement.setReturnArrays(true);
      return statement;
    };
    this.#memories = { asc: memories('ASC'), desc: memories('DESC') };
    this.#firstUnits = db.prepare(
      `SELECT ${UNIT_COLUMNS} FROM units WHERE document = ? AND kind = ? ORDER BY ordinal LIMIT ?`,
    );
    this.#firstUnits.setReturnArrays(true);
  }

  numberOf(organization: OrganizationId, id: string): number | null {
    return (this.#number.get(toColumn(organization), toColumn(id)) as { no: number } | undefined)?.no ?? null;
  }

  row(no: number): DocumentRow | null {
    const found = this.#row.get(no) as { row: string; metadata: string | null } | undefined;
    return found === undefined ? null : rowFromColumns(found.row, found.metadata);
  }

  /** Returns documents by numbers of sent.ts, which other documents may share; the newest first. */
  withSent(numbers: readonly number[]): DocumentRow[] {
    const found = this.#sent.all(JSON.stringify(numbers)) as unknown as { row: string; metadata: string | null }[];
    return found.map(({ row, metadata }) => rowFromColumns(row, metadata));
  }

  unit(no: number, kind: UnitKind, ordinal: number): Unit | null {
    const found = this.#unit.get(no, kindNumber(kind), ordinal) as unknown as UnitColumns | undefined;
    return found === undefined ? null : unitFromColumns(found);
  }

  /** Returns at most `limit` units of one kind, in order. */
  firstUnits(no: number, kind: UnitKind, limit: number): Unit[] {
    const found = this.#firstUnits.all(no, kindNumber(kind), limit) as unknown as UnitColumns[];
    return found.map(unitFromColumns);
  }

  /**
   * Returns memories that are not left out, in the order of the text or, with `desc`, the last one first.
   * @param without ordinals of others that do not count
   */
  memories(no: number, { order, offset, limit, at }: ShownMemories, without: ReadonlySet<number> = NONE): Unit[] {
    const all = without.size > 0;
    const page = all ? ([-1, 0] as const) : ([limit, offset] as const);
    const found = this.#memories[order].all(no, at, ...page) as unknown as UnitColumns[];
    const units = found.map(unitFromColumns);
    return all ? units.filter(({ ordinal }) => !without.has(ordinal)).slice(offset, offset + limit) : units;
  }
}
