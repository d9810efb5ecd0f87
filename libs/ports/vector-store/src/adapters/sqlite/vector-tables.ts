import type { DatabaseSync } from 'node:sqlite';
import { keyBytes } from '../../keys.ts';
import type { QuantizedVector } from '../../port.ts';
import { vectorLookup } from './vector-reader.ts';

export interface VectorRow {
  readonly key: string;
  readonly vector: QuantizedVector;
}

export interface VectorOwner {
  readonly no: number;
  readonly name: string;
}

/** The cache as functions on an open database. Call all but `get` inside a transaction. */
export interface VectorTables {
  get(keys: readonly string[]): (QuantizedVector | null)[];
  put(owner: string, rows: readonly VectorRow[]): void;
  claim(owner: string, keys: readonly string[]): string[];
  /** Returns whether it ended any use. */
  release(owner: string, except: readonly string[], heir?: string): boolean;
  owners(after: number, limit: number): readonly VectorOwner[];
}

export function vectorTables(db: DatabaseSync): VectorTables {
  const addOwner = db.prepare('INSERT INTO owners (name) VALUES (?) ON CONFLICT DO NOTHING');
  const findOwner = db.prepare('SELECT no FROM owners WHERE name = ?');
  const removeOwner = db.prepare('DELETE FROM owners WHERE no = ?');
  const addVector = db.prepare(
    `INSERT INTO vectors (key, vector) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET vector = excluded.vector WHERE vector <> excluded.vector`,
  );
  const hasVector = db.prepare('SELECT 1 FROM vectors WHERE key = ?');
  const removeVector = db.prepare(
    'DELETE FROM vectors WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM users WHERE key = ?1)',
  );
  const addUse = db.prepare('INSERT INTO users (owner, key) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const usesOf = db.prepare('SELECT key FROM users WHERE owner = ?');
  const removeUse = db.prepare('DELETE FROM users WHERE owner = ? AND key = ?');

  const pageOfOwners = db.prepare('SELECT no, name FROM owners WHERE no > ? ORDER BY no LIMIT ?');

  function ownerNo(owner: string): number {
    addOwner.run(owner);
    return (findOwner.get(owner) as { no: number }).no;
  }

  return {
    get: vectorLookup(db),

    owners: (after, limit) => pageOfOwners.all(after, limit) as unknown as VectorOwner[],

    put(owner, rows) {
      if (rows.length === 0) return;
      const no = ownerNo(owner);
      for (const { key, vector } of rows) {
        const bytes = keyBytes(key);
        addVector.run(bytes, vector);
        addUse.run(no, bytes);
      }
    },

    claim(owner, keys) {
      const missing: string[] = [];
      let no: number | undefined;
      for (const key of keys) {
        const bytes = keyBytes(key);
        if (hasVector.get(bytes)) {
          no ??= ownerNo(owner);
          addUse.run(no, bytes);
        } else missing.push(key);
      }
      return missing;
    },

    release(owner, except, heir) {
      const found = findOwner.get(owner) as { no: number } | undefined;
      if (!found) return false;
      const kept = new Set(except.map((key) => Buffer.from(keyBytes(key)).toString('hex')));
      const uses = usesOf.all(found.no) as unknown as readonly { readonly key: Uint8Array }[];
      const dropped = uses.filter(({ key }) => !kept.has(Buffer.from(key).toString('hex')));
      const heirNo = heir === undefined || dropped.length === 0 ? null : ownerNo(heir);
      for (const { key } of dropped) {
        if (heirNo !== null) addUse.run(heirNo, key);
        removeUse.run(found.no, key);
        removeVector.run(key);
      }
      if (dropped.length === uses.length) removeOwner.run(found.no);
      return dropped.length > 0;
    },
  };
}
