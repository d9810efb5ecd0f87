import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { syncFolder } from '#kernel';
import { inTransaction } from '#sqlite';
import type { KeyTable } from './key-database.ts';

/** Folder of a former version: `stream-keys/stream-keys/<hash of the stream>/<id>`, a file for each key. */
const FOLDER = 'stream-keys';
const HASH = /^[0-9a-f]{64}$/;
const ID = /^[0-9a-f]{32}$/;

/**
 * Moves the keys of a former version, which kept each in a file, into the database, then removes the files. Call it before
 * anything uses the keys. An interruption repeats it, but never after a key was destroyed: the folder has another name then.
 */
export async function takeOverFiles(db: DatabaseSync, { put }: KeyTable, path: string): Promise<void> {
  const data = dirname(path);
  const folder = join(data, FOLDER);
  const taken = `${path}-files`;
  if (existsSync(folder)) {
    inTransaction(db, () => {
      for (const [stream, id, file] of filesIn(join(folder, FOLDER))) put([stream, id, readFileSync(file)]);
    });
    rmSync(taken, { recursive: true, force: true });
    renameSync(folder, taken);
    await syncFolder(data);
  }
  rmSync(taken, { recursive: true, force: true });
}

function* filesIn(folder: string): Generator<[stream: string, id: string, file: string]> {
  for (const stream of namesIn(folder, HASH)) {
    for (const id of namesIn(join(folder, stream), ID)) yield [stream, id, join(folder, stream, id)];
  }
}

function namesIn(folder: string, pattern: RegExp): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : [];
}
