import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Repeats, repeatsOf } from '../../repeats.ts';
import { statementOf } from '../../statements.ts';
import { fromColumn, fromColumnOrNull } from '../../text.ts';
import { allOf, type Sql } from './filters.ts';
import { firstNumber, lastNumber, OF_PASSAGES, partitionOf } from './numbers.ts';
import type { PartitionDirectory } from './partitions.ts';
import type { Partition } from './scope.ts';

/**
 * Marks memories that may say what another one with the same tags says: when they were written, one with an equal text was
 * there. A mark stays when the others go; who reads them compares.
 */
export class RepeatWriter {
  readonly #partitions: PartitionDirectory;
  readonly #find: StatementSync;
  readonly #mark: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteOne: StatementSync;
  readonly #memories: StatementSync;

  constructor(db: DatabaseSync, partitions: PartitionDirectory) {
    this.#partitions = partitions;
    this.#find = db.prepare(
      `SELECT document, ordinal FROM units INDEXED BY memories_by_text
        WHERE kind = 1 AND text_key = ? AND document BETWEEN ? AND ? AND NOT (document = ? AND ordinal = ?) LIMIT 1`,
    );
    this.#find.setReturnArrays(true);
    this.#mark = db.prepare('INSERT OR IGNORE INTO repeats (document, ordinal) VALUES (?, ?)');
    this.#delete = db.prepare('DELETE FROM repeats WHERE document = ?');
    this.#deleteOne = db.prepare('DELETE FROM repeats WHERE document = ? AND ordinal = ?');
    this.#memories = db.prepare('SELECT ordinal, text_key FROM units WHERE document = ? AND kind = 1');
    this.#memories.setReturnArrays(true);
  }

  /** To be called when a memory is written. */
  wrote(document: number, ordinal: number, textKey: number): void {
    for (const partition of this.#partitions.alike(partitionOf(document))) {
      const range = [firstNumber(partition), lastNumber(partition)] as const;
      const found = this.#find.get(textKey, ...range, document, ordinal) as unknown as [number, number] | undefined;
      if (found === undefined) continue;
      this.#mark.run(...found);
      this.#mark.run(document, ordinal);
    }
  }

  remove(document: number): void {
    this.#delete.run(document);
  }

  removeOne(document: number, ordinal: number): void {
    this.#deleteOne.run(document, ordinal);
  }

  /** To be called when the memories of a document have its new number. */
  moved(from: number, to: number): void {
    this.#delete.run(from);
    for (const [ordinal, textKey] of this.#memories.all(to) as unknown as [number, number][]) {
      this.wrote(to, ordinal, textKey);
    }
  }
}

/** Up to this many partitions, their ranges of the marks are read; for more, all marks. */
const FEW = 16;

type MarkedMemory = readonly [
  no: number,
  ordinal: number,
  id: string,
  createdAt: number,
  text: string,
  speaker: string | null,
  textKey: number,
  tags: string,
  documentDate: string | null,
  temporalContext: string | null,
];
const [TEXT_KEY, TAGS] = [6, 7] as const;

/**
 * Returns the active memories that say the same as others.
 * @param conditions on `documents`: which memories are asked for
 * @param at time at which they are active: milliseconds since the epoch
 */
export function repeatsIn(
  db: DatabaseSync,
  scoped: readonly Partition[],
  conditions: readonly Sql[],
  at: number,
): Repeats<number> {
  const partitions = scoped.filter(({ direct }) => direct <= OF_PASSAGES);
  const where = allOf([...conditions, { sql: '(inactive_from IS NULL OR inactive_from > ?)', params: [at] }]);
  const ranges: readonly Sql[] =
    partitions.length <= FEW
      ? partitions.map(({ no }) => ({
          sql: 'repeats.document BETWEEN ? AND ?',
          params: [firstNumber(no), lastNumber(no)],
        }))
      : [
          {
            sql: 'documents.partition IN (SELECT value FROM json_each(?))',
            params: [JSON.stringify(partitions.map(({ no }) => no))],
          },
        ];
  const marked = ranges.flatMap((range) => {
    const statement = db.prepare(
      `SELECT repeats.document, repeats.ordinal, units.id, documents.created_at, units.text, units.speaker, units.text_key,
          partitions.tags, documents.row ->> '$.documentDate', documents.row -> '$.memory.temporalContext'
        FROM repeats
          CROSS JOIN documents ON documents.no = repeats.document
          CROSS JOIN units ON units.document = repeats.document AND units.kind = 1 AND units.ordinal = repeats.ordinal
          CROSS JOIN partitions ON partitions.no = documents.partition
        WHERE ${range.sql} AND ${where.sql} AND NOT EXISTS (
          SELECT 1 FROM left_units
            WHERE document = repeats.document AND kind = 1 AND ordinal = repeats.ordinal AND since <= ?)`,
    );
    statement.setReturnArrays(true);
    return statement.all(...range.params, ...where.params, at) as unknown as MarkedMemory[];
  });
  // Others are not worth a comparison.
  const alike = Map.groupBy(marked, (one) => `${one[TEXT_KEY]} ${one[TAGS]}`);
  const several = [...alike.values()].filter(({ length }) => length > 1).flat();
  return repeatsOf(
    several.map((one) => {
      const [document, ordinal, id, createdAt] = one;
      return { document, ordinal, id, createdAt, statement: statementIn(one) };
    }),
  );
}

function statementIn([, , , createdAt, text, speaker, , tags, documentDate, temporalContext]: MarkedMemory): string {
  const memory = { temporalContext: temporalContext === null ? null : JSON.parse(temporalContext) };
  const document = { tags: JSON.parse(tags) as string[], documentDate, createdAt, memory };
  return statementOf({ text: fromColumn(text), speaker: fromColumnOrNull(speaker), document });
}
