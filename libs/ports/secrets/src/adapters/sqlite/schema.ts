import type { DatabaseSync } from 'node:sqlite';
import { openErasingDatabase } from '#platform/sqlite';
import type { SecretName, StoredSecret } from '../../port.ts';

const SCHEMA_VERSION = 1;
/** How long one connection waits for another. Milliseconds. */
export const BUSY_TIMEOUT = 5_000;

/**
 * A value of the same length takes the place of the former one; of another length, it is appended, and the former one set to
 * NULL in place: a B-tree that moves rows between pages leaves copies of them in the gaps, which secure_delete does not
 * overwrite.
 */
const SCHEMA = `
  CREATE TABLE secrets (
    no INTEGER PRIMARY KEY, organization TEXT NOT NULL, name TEXT NOT NULL, changed_at INTEGER NOT NULL, sealed BLOB
  ) STRICT;
  CREATE UNIQUE INDEX live_secrets ON secrets (organization, name) WHERE sealed IS NOT NULL;
`;

/** The secrets as functions on an open database. Call those that write inside a transaction. */
export interface SecretTable {
  read(name: SecretName): StoredSecret | null;
  write(secret: StoredSecret): void;
  /** Returns false if the sealed bytes are not those. */
  replace(secret: StoredSecret, sealed: Uint8Array): boolean;
  remove(name: SecretName): boolean;
  removeAll(organization: string): boolean;
  list(organization: string | null): StoredSecret[];
}

/** Opens `secrets.db`, and creates it if it does not exist. @throws NewerSchemaError */
export function openSecretDatabase(path: string): DatabaseSync {
  return openErasingDatabase(path, {
    ...{ version: SCHEMA_VERSION, busyTimeout: BUSY_TIMEOUT, cacheKib: 2_000 },
    create: (db) => db.exec(SCHEMA),
  });
}

const ONE = 'organization = ? AND name = ? AND sealed IS NOT NULL';

export function secretTable(db: DatabaseSync): SecretTable {
  const columns = 'organization, name, changed_at AS changedAt, sealed';
  const select = db.prepare(`SELECT ${columns} FROM secrets WHERE ${ONE}`);
  const overwrite = db.prepare(`UPDATE secrets SET changed_at = ?, sealed = ? WHERE ${ONE} AND length(sealed) = ?`);
  const insert = db.prepare('INSERT INTO secrets (organization, name, changed_at, sealed) VALUES (?, ?, ?, ?)');
  const clear = db.prepare(`UPDATE secrets SET sealed = NULL WHERE ${ONE}`);
  const clearAll = db.prepare('UPDATE secrets SET sealed = NULL WHERE organization = ? AND sealed IS NOT NULL');
  const all = db.prepare(`
    SELECT ${columns} FROM secrets WHERE sealed IS NOT NULL AND (?1 IS NULL OR organization = ?1)
    ORDER BY organization, name
  `);
  const table: SecretTable = {
    read: ({ organization, name }) => (select.get(organization, name) as StoredSecret | undefined) ?? null,
    write({ organization, name, changedAt, sealed }) {
      if (overwrite.run(changedAt, sealed, organization, name, sealed.length).changes > 0) return;
      clear.run(organization, name);
      insert.run(organization, name, changedAt, sealed);
    },
    replace(secret, sealed) {
      const found = table.read(secret)?.sealed;
      if (found === undefined || !Buffer.from(found).equals(sealed)) return false;
      table.write(secret);
      return true;
    },
    remove: ({ organization, name }) => clear.run(organization, name).changes > 0,
    removeAll: (organization) => clearAll.run(organization).changes > 0,
    list: (organization) => all.all(organization) as unknown as StoredSecret[],
  };
  return table;
}
