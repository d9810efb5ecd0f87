import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isAlive, mnemeError } from '#platform/kernel';
import { SQLITE, sqliteCode, translatingDamage, translatingSqlite } from '#platform/sqlite';

/** Another process, or another part of this one, holds the data folder. */
export class DataFolderInUseError extends mnemeError('permanent', 'data_folder_in_use') {}

export interface DataFolderLock {
  /** Repeated calls have no effect. */
  release(): void;
}

/**
 * Locks the data folder for this process, and creates the folder if it does not exist. The lock is an open exclusive
 * transaction on `lock.db`, so the operating system releases it when the process ends. Nothing else in this process may
 * open and close `lock.db`, because closing a file releases the locks of the process on POSIX systems.
 * @throws DataFolderInUseError
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const db = translatingSqlite(() => {
    mkdirSync(folder, { recursive: true });
    return new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 });
  });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (sqliteCode(error) !== SQLITE.busy) throw translatingDamage(join(folder, 'lock.db'), 'Delete it.')(error);
    const holder = holderOf(folder);
    const message = `The data folder ${folder} is in use by ${holder}. Stop it, or set MNEME_DATA to another folder.`;
    throw new DataFolderInUseError(message, { cause: error });
  }
  const note = noteIn(folder);
  writeNote(note);
  return {
    release: () => {
      if (!db.isOpen) return;
      rmSync(note, { force: true });
      db.close();
    },
  };
}

/** Names the holder of the lock. A process that was killed leaves its note; only the lock decides. */
const noteIn = (folder: string): string => join(folder, 'lock.pid');

function writeNote(note: string): void {
  try {
    writeFileSync(note, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  } catch {
    // The disk is full. Without a note the refusal of another process names no id.
  }
}

function holderOf(folder: string): string {
  const [, pid, host] = /^(\d+) (.+)\n$/.exec(readNote(folder)) ?? [];
  if (pid === undefined) return 'another Mneme process';
  if (host !== hostname()) return `process ${pid} on ${host}`;
  // The note can be of a process that has ended, whose successor has not written its own yet.
  return isAlive(Number(pid)) ? `process ${pid}` : 'another Mneme process';
}

function readNote(folder: string): string {
  try {
    return readFileSync(noteIn(folder), 'utf8');
  } catch {
    return '';
  }
}
