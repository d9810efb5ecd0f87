import type { Worker } from 'node:worker_threads';
import { newId } from '#platform/kernel';
import { connect, type Remote, startWorker } from '#platform/thread-calls';
import type { Position } from '../../port.ts';
import { positionOf } from '../../positions.ts';
import type { CopiedPayload, LogCopyApi } from './log-copy.worker.ts';
import { openEventsDatabase } from './schema.ts';

/** A copy of the log that nothing writes. */
export class LogCopy {
  readonly storeId: string;
  /** Null: empty log. */
  readonly position: Position | null;
  readonly #worker: Worker;
  readonly #remote: Remote<LogCopyApi>;

  /** @param path a copy made by `SqliteEventStore.copyTo`. @throws NewerSchemaError, OlderSchemaError */
  static async open(path: string): Promise<LogCopy> {
    const worker = startWorker(new URL('./log-copy.worker.ts', import.meta.url), path);
    const remote = connect<LogCopyApi>(worker);
    try {
      const { storeId, newest } = await remote.call('identity');
      return new LogCopy(worker, remote, storeId, newest && positionOf(newest));
    } catch (error) {
      remote.close();
      await worker.terminate();
      throw error;
    }
  }

  private constructor(worker: Worker, remote: Remote<LogCopyApi>, storeId: string, position: Position | null) {
    this.#worker = worker;
    this.#remote = remote;
    this.storeId = storeId;
    this.position = position;
  }

  /** Returns for each stream whether it exists and is not erased. */
  areLive(streams: readonly string[]): Promise<readonly boolean[]> {
    return this.#remote.call('areLive', streams);
  }

  /** Returns for each stream every text that a field of this name has in its payloads; null: absent or erased. */
  fieldsOf(streams: readonly string[], field: string): Promise<readonly (readonly string[] | null)[]> {
    return this.#remote.call('fieldsOf', streams, field);
  }

  /** Yields the streams that exist and are not erased, some at a time. */
  async *liveStreams(limit: number): AsyncGenerator<readonly string[]> {
    for (let after: string | null = null; ; ) {
      const names: readonly string[] = await this.#remote.call('liveStreams', after, limit);
      if (names.length > 0) yield names;
      if (names.length < limit) return;
      after = names.at(-1) ?? null;
    }
  }

  /** Returns the events of a stream that have payloads, in order. */
  payloadsOf(stream: string): Promise<readonly CopiedPayload[]> {
    return this.#remote.call('payloadsOf', stream);
  }

  async close(): Promise<void> {
    await this.#remote.call('close');
    this.#remote.close();
    await this.#worker.terminate();
  }
}

/**
 * Gives a restored log a new store id, so that positions from before the restore are not taken for its own.
 * @throws NewerSchemaError, OlderSchemaError
 */
export function renewStoreId(path: string): void {
  const db = openEventsDatabase(path);
  try {
    db.prepare('UPDATE store SET id = ?').run(newId());
  } finally {
    db.close();
  }
}
