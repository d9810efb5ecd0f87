import { type AccessScope, err, ok, type Result, type StoredEvent } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import type { AccessRefusal } from './document-change.ts';
import { firstRecordedAt } from './first-recorded-at.ts';
import { foldDocument } from './model.ts';
import type { DocumentRepository } from './repository.ts';
import { initialState, type Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';

/** A document as searches knew it at a time. */
export interface KnownDocument {
  /** Its tags, its metadata and other details. */
  readonly details: Live;
  /** Its content as it was last indexed; what has taken its place, if that could not be processed: it has no units. */
  readonly indexed: Live;
}

/** Documents as they were at a time. */
export class PastDocuments {
  readonly #documents: Pick<DocumentRepository, 'history'>;
  readonly #texts: DocumentTexts;

  constructor(documents: Pick<DocumentRepository, 'history'>, texts: DocumentTexts) {
    this.#documents = documents;
    this.#texts = texts;
  }

  /**
   * Returns what `DocumentRepository.find` would have returned, for the names and the rights of today. `not_found` also for a
   * document that was added later, or that is deleted today: what is erased is in no past. An imported document is as it
   * was where it comes from.
   * @param at milliseconds since the epoch
   */
  async find(scope: AccessScope, idOrCustomId: string, at: number): Promise<Result<Live, AccessRefusal>> {
    const found = await this.#documents.history(scope, idOrCustomId);
    if (!found.ok) return found;
    const events = await this.#until(found.value.events, at);
    const past = events.reduce(foldDocument, initialState);
    return past.status === 'live' ? ok(past) : err('not_found');
  }

  /** As `find`, of a document that searches knew. Null also before it was indexed for the first time. */
  async known(scope: AccessScope, id: string, at: number): Promise<KnownDocument | null> {
    const found = await this.#documents.history(scope, id);
    if (!found.ok) return null;
    const events = await this.#until(found.value.events, at);
    const end = events.findLastIndex(({ envelope: { type } }) => type === 'DocumentIndexed');
    const indexed = events.slice(0, end + 1).reduce(foldDocument, initialState);
    const details = events.slice(end + 1).reduce(foldDocument, indexed);
    if (indexed.status !== 'live' || details.status !== 'live') return null;
    // Content that cannot be processed has taken the place of what was indexed.
    const isFailed = details.stage === 'failed' && details.memories === null;
    return { details, indexed: isFailed ? details : indexed };
  }

  /**
   * The first events of a stream. The clocks of processes may differ: from the first event on that is later, none counts, so
   * that each counts together with those that it follows from.
   */
  async #until(events: readonly RecordedEvent[], at: number): Promise<readonly StoredEvent[]> {
    const timeOf = await firstRecordedAt(events, this.#texts);
    const end = events.findIndex((event) => Date.parse(timeOf(event)) > at);
    return (end < 0 ? events : events.slice(0, end)).map((event) => recordedAt(event, timeOf(event)));
  }
}

function recordedAt(event: RecordedEvent, at: string): StoredEvent {
  if (event.envelope.at === at) return event;
  return { envelope: { ...event.envelope, at }, payload: event.payload };
}
