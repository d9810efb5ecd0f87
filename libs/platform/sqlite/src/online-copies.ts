import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { mnemeError } from '#platform/kernel';
import type { Remote } from '#platform/thread-calls';

/** Between two steps, half a MiB at the usual page size, progress is reported and a copy can be cancelled. */
const PAGES_PER_STEP = 128;
/** Milliseconds. */
const BUSY_TIMEOUT = 5_000;
/** Notice of a thread that copies its database: `[path, bytes, of]`. */
const COPIED = 'copied';

/** Receives how many bytes of a database are copied. */
export type OnCopied = (bytes: number, of: number) => void;

/** The calls by which a thread copies its database. */
export interface CopyApi {
  /** Writes the database to a file that does not exist. Writes of the thread go on; the copy has the state at its start. */
  copy(path: string): Promise<void>;
  cancelCopies(): Promise<void>;
}

/** The copy was cancelled: by its caller, or because the database is closed. Its file is incomplete. */
class CopyCancelledError extends mnemeError('transient', 'copy_cancelled') {}

/**
 * Copies a database in WAL mode with SQLite's online backup, from a read transaction on a connection of its own: the copy has
 * the state at its start, and writes go on. On the connection that writes, a step that meets an open transaction would end
 * the copy with an error. The write-ahead log is not truncated before the copy has ended.
 */
export class OnlineCopies implements CopyApi {
  readonly #db: DatabaseSync;
  readonly #notify: (topic: string, value: unknown) => void;
  readonly #running = new Set<Promise<unknown>>();
  #cancelled = new AbortController();

  constructor(db: DatabaseSync, notify: (topic: string, value: unknown) => void) {
    this.#db = db;
    this.#notify = notify;
  }

  /** Durable when it resolves. @throws CopyCancelledError */
  async copy(path: string): Promise<void> {
    const { signal } = this.#cancelled;
    const copying = this.#copyTo(path, signal);
    this.#running.add(copying);
    try {
      await copying;
    } finally {
      this.#running.delete(copying);
    }
  }

  async #copyTo(path: string, signal: AbortSignal): Promise<void> {
    const reader = openSnapshot(this.#db.location() as string);
    try {
      const { page_size } = reader.prepare('PRAGMA page_size').get() as { page_size: number };
      await backup(reader, path, {
        rate: PAGES_PER_STEP,
        progress: ({ totalPages, remainingPages }) => {
          // An error of this function ends the copy.
          if (signal.aborted) throw new CopyCancelledError(`The copy to ${path} was cancelled`);
          this.#notify(COPIED, [path, (totalPages - remainingPages) * page_size, totalPages * page_size]);
        },
      });
    } finally {
      reader.close();
    }
  }

  /** Resolves when no copy runs. Required before the connection is closed. */
  async cancelCopies(): Promise<void> {
    this.#cancelled.abort();
    this.#cancelled = new AbortController();
    await Promise.allSettled(this.#running);
  }
}

function openSnapshot(path: string): DatabaseSync {
  const reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
  // The transaction begins with its first read.
  reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  return reader;
}

/**
 * Copies a database in WAL mode to a file that does not exist, also while a thread writes it. Returns false if there is none.
 * @throws CopyCancelledError if the signal aborts
 */
export async function copyDatabaseFile(path: string, to: string, signal: AbortSignal): Promise<boolean> {
  if (!existsSync(path)) return false;
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
  const copies = new OnlineCopies(db, () => {});
  const cancel = () => void copies.cancelCopies();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await copies.copy(to);
  } finally {
    signal.removeEventListener('abort', cancel);
    db.close();
  }
  return true;
}

/** Has a thread copy its database. @throws CopyCancelledError */
export async function copyDatabase(
  remote: Remote<CopyApi>,
  path: string,
  { onCopied, signal }: { readonly onCopied: OnCopied; readonly signal: AbortSignal },
): Promise<void> {
  const ignore = remote.onNotice((topic, value) => {
    if (topic !== COPIED) return;
    const [copied, bytes, of] = value as [string, number, number];
    if (copied === path) onCopied(bytes, of);
  });
  const cancel = () => void remote.call('cancelCopies').catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await remote.call('copy', path);
  } finally {
    signal.removeEventListener('abort', cancel);
    ignore();
  }
}
