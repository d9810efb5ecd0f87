import { DatabaseSync } from 'node:sqlite';
import { mnemeError } from '#platform/kernel';

/** The database was written by a newer version of the program. */
class NewerSchemaError extends mnemeError('permanent', 'newer_schema') {}

/** The database was written by an older version of the program, whose form is not read any more. */
class OlderSchemaError extends mnemeError('permanent', 'older_schema') {}

export interface ErasingDatabaseOptions {
  /** Of the schema. */
  readonly version: number;
  /** How long one connection waits for another. Milliseconds. */
  readonly busyTimeout: number;
  /** Memory for pages of the file. KiB. */
  readonly cacheKib: number;
  /** Creates the tables of a new file. Called inside a transaction. */
  create(db: DatabaseSync): void;
}

/**
 * Opens a database whose erased content must not stay in its files, and creates it if it does not exist. Every commit is
 * durable.
 * @throws NewerSchemaError, OlderSchemaError
 */
export function openErasingDatabase(path: string, options: ErasingDatabaseOptions): DatabaseSync {
  const { version, busyTimeout, cacheKib, create } = options;
  const db = new DatabaseSync(path, { timeout: busyTimeout });
  try {
    const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (found > version) {
      throw new NewerSchemaError(
        `${path} has schema version ${found}; this program knows ${version}. Run the version that wrote it.`,
      );
    }
    if (found > 0 && found < version) {
      throw new OlderSchemaError(
        `${path} has schema version ${found}, and this program reads ${version} only: run the version that wrote it, or ` +
          'begin with an empty data folder.',
      );
    }
    // Without journal_size_limit the write-ahead log keeps its length after a checkpoint, and with it erased content.
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -${cacheKib};
      PRAGMA journal_size_limit = 4194304;
    `);
    if (found === 0) {
      db.exec('BEGIN IMMEDIATE');
      create(db);
      db.exec(`PRAGMA user_version = ${version}; COMMIT`);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
