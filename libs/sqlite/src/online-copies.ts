import { backup, type DatabaseSync } from 'node:sqlite';
import { MnemeError } from '#kernel';
import type { Remote } from '#threads';

/** Half a MiB at the usual page size: between two steps the connection does other work. */
const PAGES_PER_STEP = 128;
/** Notice of a thread that copies its database: `[path, bytes, of]`. */
const COPIED = 'copied';

/** Receives how many bytes of a database are copied. */
export type OnCopied = (bytes: number, of: number) => void;

/** The calls by which a thread copies its database. */
export interface CopyApi {
  /** Writes the database to a file that does not exist. Writes of the thread go on; the copy has the state at its end. */
  copy(path: string): Promise<void>;
  cancelCopies(): Promise<void>;
}

/** The copy was cancelled: by its caller, or because the database is closed. Its file is incomplete. */
class CopyCancelledError extends MnemeError {
  override readonly name = 'CopyCancelledError';
  override readonly kind = 'transient';
  override readonly code = 'copy_cancelled';
}

/**
 * Copies a database with SQLite's online backup, on the connection that writes it: pages that change meanwhile are copied
 * again, and no read transaction keeps the write-ahead log from being truncated.
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
    const { page_size } = this.#db.prepare('PRAGMA page_size').get() as { page_size: number };
    const copying = backup(this.#db, path, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => {
        // An error of this function ends the copy.
        if (signal.aborted) throw new CopyCancelledError(`The copy to ${path} was cancelled`);
        this.#notify(COPIED, [path, (totalPages - remainingPages) * page_size, totalPages * page_size]);
      },
    });
    this.#running.add(copying);
    try {
      await copying;
    } finally {
      this.#running.delete(copying);
    }
  }

  /** Resolves when no copy runs. Required before the connection is closed. */
  async cancelCopies(): Promise<void> {
    this.#cancelled.abort();
    this.#cancelled = new AbortController();
    await Promise.allSettled(this.#running);
  }
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
