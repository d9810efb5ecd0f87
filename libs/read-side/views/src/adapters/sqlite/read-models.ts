import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '#platform/sqlite';
import type { Position } from '#ports/event-store';
import { type BuildingModel, checkTable, type RowTable } from '../../rows.ts';
import { DOCUMENT_TABLES } from './document-tables.ts';
import type { ModelTables } from './model-tables.ts';

/**
 * - `read_models`: shape version of each, and how far the log has been read for it. `until` is null once it has joined
 *   the others at the shared checkpoint.
 * - `row_floors`: rows of a stream below this revision are refused. It outlives the rows of a deleted stream, because an
 *   older change may still come from the building of the read model.
 * - `left_out_rows`: streams of which rows are missing because they were refused.
 */
const RECORDS = `
  CREATE TABLE IF NOT EXISTS read_models (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    after TEXT,
    until TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS row_floors (
    model TEXT NOT NULL,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (model, stream)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS left_out_rows (
    model TEXT NOT NULL,
    stream TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (model, stream)
  ) STRICT, WITHOUT ROWID;
`;

export const rowTableName = (model: string): string => `model_${model}`;
/** A column may have the name of an SQL keyword. */
export const quoted = (column: string): string => `"${column}"`;

function tablesOf(table: RowTable): ModelTables {
  checkTable(table);
  const name = rowTableName(table.name);
  const columns = Object.entries(table.columns).map(
    ([column, type]) => `${quoted(column)} ${type === 'text' ? 'TEXT' : 'REAL'}`,
  );
  const indexes = (table.indexes ?? []).map(
    (index, i) => `CREATE INDEX ${name}_${i + 1} ON ${name} (organization, ${index.map(quoted).join(', ')});`,
  );
  return {
    name: table.name,
    version: table.version,
    tables: [name],
    create: `
      CREATE TABLE ${name} (
        stream TEXT NOT NULL, revision INTEGER NOT NULL, place INTEGER NOT NULL,
        organization TEXT NOT NULL, tags TEXT NOT NULL, ${[...columns, 'PRIMARY KEY (stream, revision, place)'].join(', ')}
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX ${name}_0 ON ${name} (organization, stream);
      ${indexes.join('\n')}`,
  };
}

/**
 * Creates the tables of new and changed read models, empty, and removes those of read models that are gone. Views that
 * hold something already keep serving: what was created is built from the log beside them.
 * @returns the read models that have to be built
 */
export function prepareModels(db: DatabaseSync, tables: readonly RowTable[]): BuildingModel[] {
  return inTransaction(db, () => {
    db.exec(RECORDS);
    const models = [DOCUMENT_TABLES, ...tables.map(tablesOf)];
    for (const model of models) prepareModel(db, model);
    removeOthers(db, new Set(models.map(({ name }) => name)));
    const building = db.prepare('SELECT name, after, until FROM read_models WHERE until IS NOT NULL ORDER BY name');
    return (building.all() as unknown as BuildingModel[]).map((model) => ({ ...model }));
  });
}

function prepareModel(db: DatabaseSync, { name, version, tables, create }: ModelTables): void {
  const record = db.prepare('SELECT version FROM read_models WHERE name = ?').get(name) as
    | { version: number }
    | undefined;
  if (record?.version === version) return;
  const insert = db.prepare('INSERT OR REPLACE INTO read_models (name, version, after, until) VALUES (?, ?, NULL, ?)');
  dropTables(db, name, tables);
  db.exec(create);
  const checkpoint = db.prepare('SELECT position FROM checkpoint').get() as { position: Position } | undefined;
  insert.run(name, version, checkpoint?.position ?? null);
}

function removeOthers(db: DatabaseSync, present: ReadonlySet<string>): void {
  const names = db.prepare('SELECT name FROM read_models').all() as unknown as { name: string }[];
  for (const { name } of names) {
    if (present.has(name)) continue;
    dropTables(db, name, [rowTableName(name)]);
    db.prepare('DELETE FROM read_models WHERE name = ?').run(name);
  }
}

function dropTables(db: DatabaseSync, model: string, tables: readonly string[]): void {
  for (const table of tables) db.exec(`DROP TABLE IF EXISTS ${table}`);
  for (const table of ['row_floors', 'left_out_rows']) db.prepare(`DELETE FROM ${table} WHERE model = ?`).run(model);
}

export function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
