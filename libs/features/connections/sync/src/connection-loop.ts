import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, type ConnectionName, openSource } from '#features/connections';
import { hasCode } from '#platform/kernel';
import { type Source, SourceLostError } from '#ports/connectors';
import { systemCause } from '#ports/event-store';
import { endConnection } from './end-connection.ts';
import { type SyncOptions, TIMING } from './options.ts';
import { isOfHere } from './pauses.ts';
import { dueAt, triggerOf } from './schedule.ts';
import { SyncRecord } from './sync-record.ts';
import { SyncRun } from './sync-run.ts';

/** So often a connection is looked at that nothing is heard of: its organization may be active again. Milliseconds. */
const LOOK_MS = 60_000;
const LONGEST_MESSAGE = 1_000;

/** Syncs one connection whenever that is due and no other process does, and ends it when it is deleted. */
export class ConnectionLoop {
  readonly #options: SyncOptions;
  readonly #name: ConnectionName;
  /** Aborts the present sync. */
  #running: AbortController | null = null;
  #isDeleted = false;
  #waking = Promise.withResolvers<void>();

  constructor(options: SyncOptions, name: ConnectionName) {
    this.#options = options;
    this.#name = name;
  }

  /** Something has happened to the connection. */
  wake({ isDeleted }: { readonly isDeleted: boolean }): void {
    if (isDeleted) {
      this.#isDeleted = true;
      this.#running?.abort();
    }
    this.#waking.resolve();
  }

  /** Resolves when nothing is left of the connection, or the signal has aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger, leases, timing = TIMING } = this.#options;
    for (let failed = 0; !signal.aborted; ) {
      try {
        const connection = await this.#load();
        if (connection === null) return;
        if (!(await this.#isDue(connection, signal))) continue;
        const { id } = this.#name;
        await leases.hold(`connection-${id}`, { signal, run: (lease) => this.#hold(lease.signal) });
        failed = 0;
      } catch (error) {
        if (signal.aborted) return;
        failed += 1;
        logger.warn(`the connection ${this.#name.id} goes on after an error: ${String(error)}`, error);
        const wait = Math.min(timing.firstPause * 2 ** (failed - 1), timing.longestPause);
        await pause(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #load(): Promise<Connection | null> {
    this.#waking = Promise.withResolvers();
    return this.#options.connections.load(this.#name);
  }

  /** Waits until a sync is due, or something has happened. */
  async #isDue(connection: Connection, signal: AbortSignal): Promise<boolean> {
    const wait = dueAt(connection, this.#options) - this.#options.clock.now();
    if (wait <= 0) return true;
    const waiting = new AbortController();
    const ends = AbortSignal.any([signal, waiting.signal]);
    const timer = pause(Math.min(wait, LOOK_MS), wait <= LOOK_MS, { signal: ends }).catch(() => false);
    const isTime = await Promise.race([timer, this.#waking.promise.then(() => false)]);
    waiting.abort();
    return isTime;
  }

  /** As long as this process has the connection to itself. Others may have done what was due. */
  async #hold(lease: AbortSignal): Promise<void> {
    const source: { open: Source | null } = { open: null };
    try {
      for (;;) {
        const connection = await this.#load();
        if (connection === null || lease.aborted) return;
        if (connection.status === 'ending') {
          await endConnection(this.#options, connection, lease);
          return;
        }
        if (dueAt(connection, this.#options) <= this.#options.clock.now()) await this.#sync(connection, source, lease);
        // A source that is watched stays with this process.
        else if (source.open?.watch === undefined) return;
        else if (!(await this.#watched(connection, source.open, lease))) return;
      }
    } finally {
      await source.open?.close();
    }
  }

  async #sync(connection: Connection, source: { open: Source | null }, lease: AbortSignal): Promise<void> {
    const { connections, clock, logger, timing = TIMING } = this.#options;
    const running = new AbortController();
    this.#running = running;
    if (this.#isDeleted) running.abort();
    const signal = AbortSignal.any([lease, running.signal]);
    const record = new SyncRecord(connection, triggerOf(connection), { connections, timing, clock });
    try {
      source.open ??= await openSource(this.#options, connection);
      const { outcome, cursor, gone } = await new SyncRun(this.#options, record, source.open, signal).run();
      await record.end({ outcome, cursor, gone, message: outcome === 'many_removed' ? manyRemoved(gone) : null });
    } catch (error) {
      if (hasCode(error, 'sync_over')) return;
      // What was done is recorded, so that nobody does it again.
      if (signal.aborted) return await record.flush();
      // It goes on after a pause: if it ended here, the next sync might be due a day later.
      if (isOfHere(error)) throw error;
      const isLost = error instanceof SourceLostError;
      if (!isLost) logger.warn(`the sync of the connection ${connection.id} has failed: ${String(error)}`, error);
      const message = (error as Error).message.slice(0, LONGEST_MESSAGE);
      await record.end({ outcome: isLost ? 'source_lost' : 'failed', message, cursor: connection.cursor, gone: 0 });
      // It is opened again by the next sync.
      await source.open?.close();
      source.open = null;
    } finally {
      this.#running = null;
    }
  }

  /** Waits while the source is watched. @returns false: the lease has ended */
  async #watched(connection: Connection, source: Source, lease: AbortSignal): Promise<boolean> {
    const ending = new AbortController();
    const signal = AbortSignal.any([lease, ending.signal]);
    const changed = () =>
      void this.#options.connections.request(this.#name, systemCause(), 'event').catch(() => undefined);
    const watching = source.watch?.(changed, signal).catch(() => undefined);
    try {
      await this.#isDue(connection, lease);
    } finally {
      ending.abort();
      await watching;
    }
    return !lease.aborted;
  }
}

const manyRemoved = (gone: number): string =>
  `${gone} items are gone at the source, more than half of all: nothing is removed until that is confirmed`;
