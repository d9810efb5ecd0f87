import { dirname } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { JsonObject } from '#platform/kernel';
import { copyDatabase, type OnCopied } from '#platform/sqlite';
import { connect, type Remote, startWorker } from '#platform/thread-calls';
import { checkChains, checkIds } from '../../append-checks.ts';
import { LiveHead } from '../../live-head.ts';
import {
  type AllSlice,
  type AppendChain,
  type AppendOptions,
  type AppendResult,
  type ChainResult,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type StreamAppend,
  type StreamRange,
  type StreamSlice,
  type TogetherOptions,
} from '../../port.ts';
import { isHeld, numberOf, parsePosition, positionOf } from '../../positions.ts';
import { AppendSender, messagesOf, rowsOf } from './append-sender.ts';
import { type DataFolderLock, lockDataFolder } from './lock.ts';
import { numbersOf, refusalsOf } from './refused-chains.ts';
import type { StoreWorkerData } from './store.worker.ts';
import { type AppendReply, HEAD, recordedEvents, type StoreApi } from './wire.ts';

/** Events in one message of a stream read, so that a long stream does not block the store thread. */
const STREAM_PAGE = 1000;
const DEFAULT_BATCH = 512;

export interface SqliteEventStoreOptions {
  /** Path of `events.db`; its folder is created if it does not exist. */
  readonly path: string;
  /** The folder's lock if the caller holds it. Default: the store takes the lock and releases it on close. */
  readonly folderLock?: DataFolderLock;
  /** Limit of the database file, space for deletions excluded; appends beyond it get StorageFullError. */
  readonly maxBytes?: number;
}

/** What `close` has to release. */
interface OwnedResources {
  /** Null: the lock is the caller's. */
  readonly lock: DataFolderLock | null;
}

/**
 * The event log in one SQLite file, owned by a thread of its own. Any number of clients in any thread of the process use
 * that thread; all see the same order, and each its own writes.
 */
export class SqliteEventStore implements EventStore {
  readonly storeId: string;
  readonly #remote: Remote<StoreApi>;
  readonly #sender: AppendSender;
  readonly #live: LiveHead;
  readonly #owned: OwnedResources | null;

  /**
   * Starts the store thread.
   * @throws DataFolderInUseError, NewerSchemaError, OlderSchemaError
   */
  static async open(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
    const lock = options.folderLock ? null : lockDataFolder(dirname(options.path));
    const data: StoreWorkerData = { path: options.path, maxBytes: options.maxBytes };
    const worker = startWorker(new URL('./store.worker.ts', import.meta.url), data);
    const remote = connect<StoreApi>(worker);
    try {
      return new SqliteEventStore(remote, await remote.call('storeId'), { lock });
    } catch (error) {
      remote.close();
      await worker.terminate();
      lock?.release();
      throw error;
    }
  }

  /** Connects another thread to the same store, through a port made by `newClientPort`. */
  static async attach(port: MessagePort): Promise<SqliteEventStore> {
    const remote = connect<StoreApi>(port);
    return new SqliteEventStore(remote, await remote.call('storeId'), null);
  }

  private constructor(remote: Remote<StoreApi>, storeId: string, owned: OwnedResources | null) {
    this.#remote = remote;
    this.#sender = new AppendSender(remote);
    this.storeId = storeId;
    this.#owned = owned;
    this.#live = new LiveHead(() => remote.call('watch'));
    remote.onNotice((topic, head) => {
      if (topic === HEAD) this.#live.advance(head as number);
    });
    remote.onGone((error) => this.#live.end(error));
  }

  /** Returns a port for `attach` in another thread. Put it in the transfer list of the message that carries it. */
  async newClientPort(): Promise<MessagePort> {
    const { port1, port2 } = new MessageChannel();
    await this.#remote.callTransferring([port1], 'attach', port1);
    return port2;
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult> {
    checkIds(stream, events);
    const rows = rowsOf(stream, events);
    const refusal = options.admit?.(events) ?? null;
    if (refusal !== null) throw refusal;
    const reply = await this.#remote.call('append', stream, rows, options.expected, options.erase ?? false);
    if ('actual' in reply) return { ok: false, conflict: { actual: reply.actual } };
    return appendedOf(reply, events);
  }

  async appendTogether(
    chains: readonly AppendChain[],
    { admit }: TogetherOptions = {},
  ): Promise<readonly ChainResult[]> {
    checkChains(chains);
    if (chains.length === 0) return [];
    const messages = await messagesOf(chains);
    let refusals: ReadonlyMap<AppendChain, Error> = new Map();
    const reply = await this.#sender.send(messages, () => {
      refusals = refusalsOf(chains, admit);
      return numbersOf(chains, refusals);
    });
    if ('conflicts' in reply) {
      const conflicts = new Set(reply.conflicts);
      return chains.map((chain) => {
        const error = refusals.get(chain) ?? null;
        const conflict = error === null ? (chain.find(({ stream }) => conflicts.has(stream))?.stream ?? null) : null;
        return { ok: false, conflict, error };
      });
    }
    let next = 0;
    return chains.map((chain) => {
      const error = refusals.get(chain);
      if (error !== undefined) return { ok: false, conflict: null, error };
      const own = reply.appended.slice(next, next + chain.length);
      const appended = own.map((one, i) => appendedOf(one, (chain[i] as StreamAppend).events));
      next += chain.length;
      return { ok: true, appended };
    });
  }

  async readStream(stream: string, { from = 0, limit = Infinity }: StreamRange = {}): Promise<StreamSlice> {
    const events: RecordedEvent[] = [];
    for (;;) {
      const next = from + events.length;
      const asked = Math.min(limit - events.length, STREAM_PAGE);
      const { rows, revision, erased } = await this.#remote.call('readStream', stream, next, asked);
      for (const event of recordedEvents(rows)) events.push(event);
      if (revision === 'no-stream' || next + asked > revision) return { events, revision, erased };
      if (events.length >= limit) return { events, revision: next + asked - 1, erased };
    }
  }

  async readAll(options: Parameters<EventStore['readAll']>[0]): Promise<AllSlice> {
    const after = options.after === null ? 0 : numberOf(options.after);
    const reply = await this.#remote.call(
      'readAll',
      after,
      options.limit,
      options.filter ?? {},
      options.envelopesOnly ?? false,
    );
    const position = reply.examined && positionOf(reply.examined);
    return { events: recordedEvents(reply.rows), position, end: reply.end };
  }

  async head(): Promise<Position | null> {
    const head = await this.#remote.call('head');
    return head && positionOf(head);
  }

  knownHead(): Promise<Position | null> {
    return this.head();
  }

  async *subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncGenerator<AllSlice> {
    const { filter, envelopesOnly, signal, batch: limit = DEFAULT_BATCH } = options;
    let { after } = options;
    await this.#live.watch();
    while (!signal.aborted) {
      const slice = await this.readAll({
        after,
        limit,
        ...(filter && { filter }),
        ...(envelopesOnly && { envelopesOnly }),
      });
      if (signal.aborted) return;
      after = slice.position;
      if (slice.events.length > 0) yield slice;
      if (slice.end) await this.#live.beyond(after === null ? 0 : numberOf(after), signal);
    }
  }

  async erase(stream: string): Promise<void> {
    await this.#remote.call('erase', stream);
  }

  compare(a: Position, b: Position): number {
    return numberOf(a) - numberOf(b);
  }

  parsePosition(text: string): Position | null {
    return parsePosition(text) === null ? null : (text as Position);
  }

  holds(position: Position): Promise<boolean> {
    return isHeld(position, async ({ position: at, id }) => (await this.#remote.call('eventAt', at))?.id === id);
  }

  async saveSnapshot(stream: string, revision: number, name: string, state: JsonObject): Promise<void> {
    await this.#remote.call('saveSnapshot', stream, revision, name, JSON.stringify(state));
  }

  async loadSnapshot(stream: string, name: string): Promise<{ revision: number; state: JsonObject } | null> {
    const snapshot = await this.#remote.call('loadSnapshot', stream, name);
    return snapshot && { revision: snapshot.revision, state: JSON.parse(snapshot.state) as JsonObject };
  }

  /**
   * Writes a copy of the log to a file that does not exist, while appends go on. Durable when it resolves.
   * @throws CopyCancelledError
   */
  copyTo(path: string, options: { readonly onCopied: OnCopied; readonly signal: AbortSignal }): Promise<void> {
    return copyDatabase(this.#remote, path, options);
  }

  /** Ends the store thread if `open` started it; an attached client only disconnects. */
  async close(): Promise<void> {
    if (!this.#owned) return this.#remote.close();
    const gone = new Promise<void>((resolve) => this.#remote.onGone(() => resolve()));
    // Rejects if the thread ends before it answers, which is the purpose of the call.
    this.#remote.call('close').catch(() => {});
    await gone;
    this.#owned.lock?.release();
  }
}

function appendedOf(
  { revision, position, erased }: Exclude<AppendReply, { readonly actual: unknown }>,
  events: readonly NewEvent[],
) {
  const { id } = (events.at(-1) as NewEvent).envelope;
  return { ok: true, revision, position: positionOf({ position, id }), erased } as const;
}
