import { DatabaseSync } from 'node:sqlite';

/** Lets nothing write to a file until the returned function is called. */
export function lockForWrites(path: string): () => void {
  const held = new DatabaseSync(path);
  held.exec('BEGIN IMMEDIATE');
  return () => held.close();
}
