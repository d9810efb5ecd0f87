import type { CommandHandler, RecordedEvent } from '#event-store';
import { type AccessScope, err, type OrganizationId, ok, permits, type Result } from '#kernel';
import { foldDocument } from './model.ts';
import { initialState, type Live } from './state.ts';
import { documentStream } from './streams.ts';

/** Documents as they were at a time. */
export class PastDocuments {
  readonly #handler: CommandHandler;
  readonly #idsOf: (organization: OrganizationId, idOrCustomId: string) => AsyncIterable<string>;

  /** @param idsOf returns the possible ids of a document */
  constructor(
    handler: CommandHandler,
    idsOf: (organization: OrganizationId, idOrCustomId: string) => AsyncIterable<string>,
  ) {
    this.#handler = handler;
    this.#idsOf = idsOf;
  }

  /**
   * Returns what `DocumentRepository.find` would have returned, for the names and the rights of today. `not_found` also for a
   * document that was added later, or that is deleted today: what is erased is in no past.
   * @param at milliseconds since the epoch
   */
  async find(
    scope: AccessScope,
    idOrCustomId: string,
    at: number,
  ): Promise<Result<Live, 'not_found' | 'forbidden'>> {
    for await (const id of this.#idsOf(scope.organization, idOrCustomId)) {
      const { events } = await this.#handler.read(documentStream(scope.organization, id));
      const present = events.reduce(foldDocument, initialState);
      if (present.status === 'absent') continue;
      if (present.status === 'deleted' || present.memory !== null) break;
      if (id !== idOrCustomId && present.customId !== idOrCustomId) break;
      if (!permits(scope, present.tags)) return err('forbidden');
      const past = eventsUntil(events, at).reduce(foldDocument, initialState);
      return past.status === 'live' ? ok(past) : err('not_found');
    }
    return err('not_found');
  }
}

/**
 * The first events of a stream, up to a time. The clocks of processes may differ: from the first event on that is later,
 * none counts, so that each counts together with those that it follows from.
 * @param at milliseconds since the epoch
 */
export function eventsUntil(events: readonly RecordedEvent[], at: number): readonly RecordedEvent[] {
  const end = events.findIndex(({ envelope }) => Date.parse(envelope.at) > at);
  return end < 0 ? events : events.slice(0, end);
}
