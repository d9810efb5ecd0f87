import pLimit from 'p-limit';
import {
  allOf,
  type Checkpoint,
  DOCUMENT_EVENTS,
  type Erasure,
  type ErasureCheckpoints,
  type FailingErasure,
  lossIn,
  parseDocumentStream,
} from '#features/documents';
import { type Clock, readEvent, withoutCredentials } from '#platform/kernel';
import { type EventStore, type Position, type RecordedEvent, readPages } from '#ports/event-store';
import { FailingErasures, keyOf } from './failing-erasures.ts';

const PAGE = 500;
/** Erasures at the same time, so that one that waits long for an engine does not stop the others. */
const AT_ONCE = 8;
/** Events whose append erases their stream, of every feature. */
export const ERASING: readonly string[] = [
  ...['DocumentDeleted', 'BulkDeletionFinished', 'ContainerTagRemoved', 'SettingsReset', 'SecretErased'],
  'OrganizationDeleted',
];
/** The log says up to where erasures are finished, at most this often. Milliseconds. */
const RECORD_EVERY_MS = 10 * 60_000;
/** Time that repetitions may take in one call, because each may wait long for an engine that is away. Milliseconds. */
const LONGEST_FAILURES_MS = 20_000;
/** Of the erasures that fail together. */
const MOST_LOGGED = 10;

/** The event, or what is left of it if an operator removed its stream with the tools of the engine. */
type ErasingEvent = RecordedEvent | { readonly stream: string; readonly revision: number };

export interface FinisherOptions {
  readonly store: EventStore;
  readonly erasure: Erasure;
  readonly documents: { readonly erasures: Pick<ErasureCheckpoints, 'load' | 'record'> };
  readonly clock: Clock;
  readonly logger: { warn(message: string, cause?: unknown): void };
}

interface Attempt {
  readonly event: { readonly stream: string; readonly revision: number };
  /** A position from which the event is read. Absent: it has failed before. */
  readonly before?: Position | null;
  erase(): Promise<void>;
}

/**
 * Repeats the erasures that a crash or an outage may have cut off between the event and the removal of keys, blobs and vectors.
 * Those that fail are kept aside, any number of them, so that they do not stop those behind them.
 */
export class ErasureFinisher {
  readonly #options: FinisherOptions;
  /** Up to where erasures are finished, except the failing ones; undefined: as the log says. */
  #after: Position | null | undefined;
  #failing = new FailingErasures([]);
  /** The end of the log at the last call. Deletions up to there have had the time to erase by themselves what they delete. */
  #until: Position | null = null;
  #recordedAt = Number.NEGATIVE_INFINITY;
  /** Attempts that the checkpoint in the log does not cover. */
  #unrecorded = 0;

  constructor(options: FinisherOptions) {
    this.#options = options;
  }

  /**
   * Looks once at each deletion, and again at those that fail, after growing pauses. Those since the last call may have only
   * just begun and are left to the next one, except by the first call. Their times do not tell: they are by the clocks of
   * other processes. Ends early when the signal aborts.
   */
  async finish(signal: AbortSignal): Promise<void> {
    const { store, documents } = this.#options;
    const isFirst = this.#after === undefined;
    const until = this.#until;
    this.#until = await store.head();
    const isNew = (position: Position) => !isFirst && (until === null || store.compare(position, until) > 0);
    if (isFirst) {
      const { position, failing } = await documents.erasures.load();
      this.#failing = new FailingErasures(failing);
      this.#after = position === null ? null : store.parsePosition(position);
    }
    try {
      await this.#finishUntil(isNew, signal);
      await this.#repeatFailing(signal);
    } finally {
      if (!signal.aborted) await this.#recordProgress(this.#failing.changed);
    }
  }

  /** Finishes erasures page by page, up to one that has only just begun. */
  async #finishUntil(isNew: (position: Position) => boolean, signal: AbortSignal): Promise<void> {
    const erasing = { after: this.#after ?? null, limit: PAGE, filter: { types: [...ERASING, 'FileRemoved'] } };
    for await (const { events, position } of readPages(this.#options.store, erasing)) {
      const firstNew = events.findIndex((event) => isNew(event.position));
      const due = firstNew === -1 ? events : events.slice(0, firstNew);
      const attempts = due.map((event, i) => {
        return { event, before: due[i - 1]?.position ?? this.#after ?? null, erase: () => this.#erase(event) };
      });
      await this.#attempt(attempts, signal);
      if (signal.aborted) return;
      this.#after = firstNew === -1 ? position : (due.at(-1)?.position ?? this.#after ?? null);
      if (firstNew !== -1) return;
      await this.#recordProgress(false);
    }
  }

  async #repeatFailing(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const repeated = new Set<string>();
    for (let isAnyDone = true; isAnyDone; ) {
      const due = this.#failing.due(this.#options.clock.now()).filter((each) => !repeated.has(keyOf(each)));
      isAnyDone = false;
      for (let from = 0; from < due.length; from += AT_ONCE) {
        const some = due.slice(from, from + AT_ONCE);
        for (const each of some) repeated.add(keyOf(each));
        const attempts = some.map((event) => ({ event, erase: () => this.#eraseAgain(event) }));
        const done = await this.#attempt(attempts, signal);
        if (signal.aborted) return;
        if (done > 0) this.#failing.makeDue();
        isAnyDone ||= done > 0;
        if (done < some.length && performance.now() - begun > LONGEST_FAILURES_MS) return;
      }
    }
  }

  /** @returns how many of those that had failed are done now */
  async #attempt(attempts: readonly Attempt[], signal: AbortSignal): Promise<number> {
    const { clock, logger } = this.#options;
    const outcomes = await pLimit(AT_ONCE).map(attempts, async (attempt) => {
      if (signal.aborted) return null;
      return attempt.erase().then(
        () => null,
        (error: unknown) => ({ error }),
      );
    });
    if (signal.aborted) return 0;
    let done = 0;
    let failed = 0;
    for (const [i, { event, before }] of attempts.entries()) {
      const outcome = outcomes[i];
      this.#unrecorded += 1;
      if (!outcome) {
        done += this.#failing.done(event) ? 1 : 0;
        continue;
      }
      failed += 1;
      const { failures, pause } = this.#failing.failed(event, outcome.error, clock.now(), before ?? null);
      if (failed > MOST_LOGGED) continue;
      const when = `${failures} times, again in ${pause / 1_000} seconds`;
      logger.warn(
        `what ${event.stream} has left could not be erased (${when}): ${withoutCredentials(String(outcome.error))}`,
        outcome.error,
      );
    }
    const first = outcomes.find((outcome) => outcome)?.error;
    if (failed > MOST_LOGGED) logger.warn(`neither could what ${failed - MOST_LOGGED} others have left`, first);
    return done;
  }

  async #eraseAgain({ stream, revision }: FailingErasure): Promise<void> {
    const { events } = await this.#options.store.readStream(stream, { from: revision, limit: 1 });
    await this.#erase(events[0] ?? { stream, revision });
  }

  async #erase(event: ErasingEvent): Promise<void> {
    const { store, erasure } = this.#options;
    if ('envelope' in event && event.envelope.type === 'FileRemoved') return eraseFile(event, erasure);
    const name = parseDocumentStream(event.stream);
    await allOf([store.erase(event.stream), ...(name === null ? [] : [erasure.erase(name.organization, name.id)])]);
  }

  /** @param isDue whether other erasures fail than those in the log */
  async #recordProgress(isDue: boolean): Promise<void> {
    const { documents, clock } = this.#options;
    const now = clock.now();
    if (!isDue && (this.#unrecorded === 0 || now - this.#recordedAt < RECORD_EVERY_MS)) return;
    await documents.erasures.record(this.#failing.checkpoint(this.#after ?? null));
    this.#failing.changed = false;
    this.#recordedAt = now;
    this.#unrecorded = 0;
  }
}

/** Counts the deletions since the last checkpoint, whose erasure the garbage collection makes sure of. */
export async function countUnswept(
  store: Pick<EventStore, 'readAll' | 'parsePosition'>,
  { position }: Pick<Checkpoint, 'position'>,
): Promise<number> {
  const after = position === null ? null : store.parsePosition(position);
  const options = { after, limit: PAGE, filter: { types: ERASING }, envelopesOnly: true };
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
