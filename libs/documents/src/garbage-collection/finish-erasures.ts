import { type EventStore, type Position, type RecordedEvent, readPages } from '#event-store';
import { type Clock, readEvent } from '#kernel';
import { lossIn } from '../content-loss/loss.ts';
import { DOCUMENT_EVENTS } from '../events.ts';
import { parseDocumentStream } from '../streams.ts';
import type { Erasure } from './erasure.ts';
import { checkpointIn, recordCheckpoint } from './erasure-checkpoint.ts';
import { FailingErasures, keyOf } from './failing-erasures.ts';

const PAGE = 500;
/** Events whose append erases their stream, of every feature. */
export const ERASING: readonly string[] = [
  ...['DocumentDeleted', 'BulkDeletionFinished', 'ContainerTagRemoved', 'SettingsReset', 'SecretErased'],
];
/** The log says up to where erasures are finished, at most this often. Milliseconds. */
const RECORD_EVERY_MS = 10 * 60_000;
/** Time that failing erasures may take in one call, because each may wait long for an engine that is away. Milliseconds. */
const LONGEST_FAILURES_MS = 20_000;

/** The event, or what is left of it if an operator removed its stream with the tools of the engine. */
type ErasingEvent = RecordedEvent | { readonly stream: string; readonly revision: number };

export interface FinisherOptions {
  readonly store: EventStore;
  readonly erasure: Erasure;
  readonly clock: Clock;
  readonly logger: { warn(message: string): void };
}

/** Repeats the erasures that a crash or an outage may have cut off between the event and the removal of keys, blobs and vectors. */
export class ErasureFinisher {
  readonly #options: FinisherOptions;
  /** Up to where erasures are finished, except the failing ones; undefined: as the log says. */
  #after: Position | null | undefined;
  #failing = new FailingErasures([]);
  /** The end of the log at the last call. Deletions up to there have had the time to erase by themselves what they delete. */
  #until: Position | null = null;
  #recordedAt = Number.NEGATIVE_INFINITY;
  /** Erasures that the checkpoint in the log does not cover. */
  #unrecorded = 0;

  constructor(options: FinisherOptions) {
    this.#options = options;
  }

  /**
   * Looks once at each deletion, and again at those that fail, after growing pauses. Those since the last call may have only
   * just begun and are left to the next one, except by the first call. Their times do not tell: they are by the clocks of
   * other processes. Ends early when the signal aborts.
   * @throws the error of an erasure if so many fail that a store must have failed
   */
  async finish(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const isFirst = this.#after === undefined;
    const until = this.#until;
    this.#until = await store.head();
    const isNew = (position: Position) => !isFirst && (until === null || store.compare(position, until) > 0);
    if (isFirst) {
      const { position, failing } = await checkpointIn(store);
      this.#failing = new FailingErasures(failing);
      this.#after = position;
    }
    await this.#repeatFailing(signal);
    try {
      await this.#finishUntil(isNew, signal);
    } finally {
      if (!signal.aborted) await this.#recordProgress();
    }
  }

  /** Finishes erasures in the order of the log, up to one that has only just begun. */
  async #finishUntil(isNew: (position: Position) => boolean, signal: AbortSignal): Promise<void> {
    const erasing = { after: this.#after ?? null, limit: PAGE, filter: { types: [...ERASING, 'FileRemoved'] } };
    let failures = 0;
    for await (const { events, position } of readPages(this.#options.store, erasing)) {
      for (const event of events) {
        if (signal.aborted || isNew(event.position)) return;
        failures += await this.#attempt(event, signal);
        this.#unrecorded += 1;
        this.#after = event.position;
        if (failures > LONGEST_FAILURES_MS) throw new Error('erasures take too long to fail; the others follow later');
      }
      this.#after = position;
      if (signal.aborted) return;
    }
  }

  async #repeatFailing(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    const repeated = new Set<string>();
    for (let failures = 0; !signal.aborted && failures < LONGEST_FAILURES_MS; ) {
      // Looked up again each time: after a success all others are due.
      const next = this.#failing.due(clock.now()).find((each) => !repeated.has(keyOf(each)));
      if (next === undefined) return;
      repeated.add(keyOf(next));
      const { stream, revision } = next;
      const { events } = await store.readStream(stream, { from: revision, limit: 1 });
      failures += await this.#attempt(events[0] ?? { stream, revision }, signal);
    }
  }

  /**
   * Keeps an erasure that fails aside, so that it does not stop those behind it.
   * @returns how long it took to fail, in milliseconds; 0 if it did not
   * @throws its error if too many are kept aside
   */
  async #attempt(event: ErasingEvent, signal: AbortSignal): Promise<number> {
    const { clock, logger } = this.#options;
    const begun = performance.now();
    try {
      await this.#erase(event);
      this.#failing.done(event);
      return 0;
    } catch (error) {
      if (signal.aborted || !this.#failing.takes(event)) throw error;
      const { failures, pause } = this.#failing.failed(event, error, clock.now());
      const when = `${failures} times, again in ${pause / 1_000} seconds`;
      logger.warn(`what ${event.stream} has left could not be erased (${when}): ${String(error)}`);
      return performance.now() - begun;
    }
  }

  async #erase(event: ErasingEvent): Promise<void> {
    const { store, erasure } = this.#options;
    if ('envelope' in event && event.envelope.type === 'FileRemoved') return eraseFile(event, erasure);
    await store.erase(event.stream);
    const name = parseDocumentStream(event.stream);
    if (name !== null) await erasure.erase(name.organization, name.id);
  }

  async #recordProgress(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const isDue = this.#unrecorded > 0 && now - this.#recordedAt >= RECORD_EVERY_MS;
    if (!isDue && !this.#failing.changed) return;
    await recordCheckpoint(store, { position: this.#after ?? null, failing: this.#failing.all }, now);
    this.#failing.changed = false;
    this.#recordedAt = now;
    this.#unrecorded = 0;
  }
}

/** Counts the deletions since the last checkpoint, whose erasure the garbage collection makes sure of. */
export async function countUnswept(
  store: Pick<EventStore, 'readStream' | 'readAll' | 'parsePosition'>,
): Promise<number> {
  const { position } = await checkpointIn(store);
  const options = { after: position, limit: PAGE, filter: { types: ERASING }, envelopesOnly: true };
  let count = 0;
  for await (const { events } of readPages(store, options)) count += events.length;
  return count;
}

/** Of a document that was deleted since, nothing is left to erase. */
async function eraseFile(event: RecordedEvent, erasure: Erasure): Promise<void> {
  try {
    const read = readEvent(DOCUMENT_EVENTS, event);
    if (read?.type === 'FileRemoved') await erasure.eraseFile(read.payload.blob);
  } catch (error) {
    if (lossIn(error) === null) throw error;
  }
}
