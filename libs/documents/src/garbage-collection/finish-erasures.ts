import { type EventStore, type Position, type RecordedEvent, readPages, record, systemCause } from '#event-store';
import { type Clock, foldWith, readEvent } from '#kernel';
import { lossIn } from '../content-loss/loss.ts';
import { DOCUMENT_EVENTS } from '../events.ts';
import { parseDocumentStream } from '../streams.ts';
import type { Erasure } from './erasure.ts';
import { ERASURE_EVENTS } from './events.ts';

const CHECKPOINT_STREAM = 'erasure-checkpoint';
const PAGE = 500;
/** Events whose append erases their stream, of every feature. */
export const ERASING: readonly string[] = [
  ...['DocumentDeleted', 'BulkDeletionFinished', 'ContainerTagRemoved', 'SettingsReset', 'SecretErased'],
];
/** The log says up to where erasures are finished, at most this often. Milliseconds. */
const RECORD_EVERY_MS = 10 * 60_000;

export interface FinisherOptions {
  readonly store: EventStore;
  readonly erasure: Erasure;
  readonly clock: Clock;
}

/** Repeats the erasures that a crash or an outage may have cut off between the event and the removal of keys, blobs and vectors. */
export class ErasureFinisher {
  readonly #options: FinisherOptions;
  /** Up to where erasures are finished; undefined: as the log says. */
  #after: Position | null | undefined;
  /** The end of the log at the last call. Deletions up to there have had the time to erase by themselves what they delete. */
  #until: Position | null = null;
  #recordedAt = Number.NEGATIVE_INFINITY;
  /** Erasures that the checkpoint in the log does not cover. */
  #unrecorded = 0;

  constructor(options: FinisherOptions) {
    this.#options = options;
  }

  /**
   * Looks once at each deletion. Those since the last call may have only just begun and are left to the next one, except by
   * the first call. Their times do not tell: they are by the clocks of other processes. Ends early when the signal aborts.
   */
  async finish(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const isFirst = this.#after === undefined;
    const until = this.#until;
    this.#until = await store.head();
    const isNew = (position: Position) => !isFirst && (until === null || store.compare(position, until) > 0);
    this.#after ??= await sweptTo(store);
    const erasing = { after: this.#after ?? null, limit: PAGE, filter: { types: [...ERASING, 'FileRemoved'] } };
    for await (const { events, position } of readPages(store, erasing)) {
      for (const event of events) {
        if (signal.aborted) return;
        if (isNew(event.position)) return this.#recordProgress();
        await this.#erase(event);
        this.#unrecorded += 1;
        this.#after = event.position;
      }
      this.#after = position;
      if (signal.aborted) return;
    }
    await this.#recordProgress();
  }

  async #erase(event: RecordedEvent): Promise<void> {
    const { store, erasure } = this.#options;
    const { stream, envelope } = event;
    if (envelope.type === 'FileRemoved') return eraseFile(event, erasure);
    await store.erase(stream);
    const name = parseDocumentStream(stream);
    if (name !== null) await erasure.erase(name.organization, name.id);
  }

  async #recordProgress(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    if (this.#unrecorded === 0 || now - this.#recordedAt < RECORD_EVERY_MS) return;
    const recording = { organization: '', cause: systemCause(), tags: [], now };
    const position = this.#after ?? null;
    const finished = record(ERASURE_EVENTS, [{ type: 'ErasuresFinished', payload: { position } }], recording);
    await store.append(CHECKPOINT_STREAM, finished, { expected: 'any' });
    this.#recordedAt = now;
    this.#unrecorded = 0;
  }
}

const foldCheckpoint = foldWith(ERASURE_EVENTS, (position: string | null, event) =>
  event.type === 'ErasuresFinished' ? event.payload.position : position,
);

/** Returns up to where the erasures of all deletions have been repeated. Null: none. */
async function sweptTo(store: Pick<EventStore, 'readStream' | 'parsePosition'>): Promise<Position | null> {
  const checkpoint = (await store.readStream(CHECKPOINT_STREAM)).events.reduce(foldCheckpoint, null);
  return checkpoint === null ? null : store.parsePosition(checkpoint);
}

/** Counts the deletions since the last checkpoint, whose erasure the garbage collection makes sure of. */
export async function countUnswept(
  store: Pick<EventStore, 'readStream' | 'readAll' | 'parsePosition'>,
): Promise<number> {
  const options = { after: await sweptTo(store), limit: PAGE, filter: { types: ERASING }, envelopesOnly: true };
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
