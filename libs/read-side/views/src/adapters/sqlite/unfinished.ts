import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DocumentRow } from '../../documents.ts';
import type { PipelinePage, UnfinishedDocument } from '../../queries.ts';
import { toColumn } from '../../text.ts';
import { toUnfinished } from '../../to-unfinished.ts';

const AFTER = '(updated_at, organization, id) > (?, ?, ?)';
const WITHOUT_SUMMARY = 'stage = 5 AND is_summarized = 0';

/** Lists for the pipeline, over all organizations; each walks an index from a cursor. */
export class PipelineLists {
  readonly #db: DatabaseSync;
  readonly #unfinished: StatementSync;
  readonly #countUnfinished: StatementSync;
  readonly #otherSpaces: StatementSync;
  readonly #withoutSummary: StatementSync;
  readonly #countWithoutSummary: StatementSync;
  readonly #expired: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#unfinished = db.prepare(
      `SELECT row FROM documents WHERE stage < 5 AND ${AFTER} ORDER BY updated_at, organization, id LIMIT ?`,
    );
    this.#countUnfinished = db.prepare('SELECT count(*) AS count FROM documents WHERE stage < 5');
    this.#otherSpaces = db.prepare(
      'SELECT 0 AS no UNION ALL SELECT no FROM spaces WHERE name NOT IN (SELECT value FROM json_each(?))',
    );
    this.#withoutSummary = db.prepare(
      `SELECT row FROM documents WHERE ${WITHOUT_SUMMARY} AND ${AFTER} ORDER BY updated_at, organization, id LIMIT ?`,
    );
    this.#countWithoutSummary = db.prepare(`SELECT count(*) AS count FROM documents WHERE ${WITHOUT_SUMMARY}`);
    this.#expired = db.prepare('SELECT row FROM documents WHERE expires_at <= ? ORDER BY expires_at LIMIT ?');
  }

  unfinished({ after, limit }: PipelinePage): UnfinishedDocument[] {
    return asUnfinished(this.#unfinished.all(...placeOf(after), limit));
  }

  countUnfinished(): number {
    return (this.#countUnfinished.get() as { count: number }).count;
  }

  withoutSummary({ after, limit }: PipelinePage): UnfinishedDocument[] {
    return asUnfinished(this.#withoutSummary.all(...placeOf(after), limit));
  }

  countWithoutSummary(): number {
    return (this.#countWithoutSummary.get() as { count: number }).count;
  }

  expired(until: number, limit: number): UnfinishedDocument[] {
    return asUnfinished(this.#expired.all(until, limit));
  }

  /** Each other space is a range of the index; there are few, and the ranges are merged. */
  withoutVectors({
    spaces,
    after,
    limit,
  }: PipelinePage & { readonly spaces: readonly string[] }): UnfinishedDocument[] {
    const others = this.#otherSpaces.all(JSON.stringify(spaces.map(toColumn))) as unknown as { no: number }[];
    const select = `SELECT row, updated_at, organization, id FROM documents
      WHERE stage = 5 AND space = ? AND ${AFTER} AND part_of IS NULL AND EXISTS (SELECT 1 FROM units WHERE document = documents.no)`;
    const statement = this.#db.prepare(
      `${others.map(() => select).join(' UNION ALL ')} ORDER BY updated_at, organization, id LIMIT ?`,
    );
    return asUnfinished(statement.all(...others.flatMap(({ no }) => [no, ...placeOf(after)]), limit));
  }
}

function placeOf(after: UnfinishedDocument | null): SQLInputValue[] {
  return after === null ? [-Infinity, '', ''] : [after.updatedAt, toColumn(after.organization), toColumn(after.id)];
}

function asUnfinished(rows: readonly unknown[]): UnfinishedDocument[] {
  return (rows as { row: string }[]).map(({ row }) => toUnfinished(JSON.parse(row) as DocumentRow));
}
