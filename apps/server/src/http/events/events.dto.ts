import { DOCUMENT_EVENTS } from '#features/documents';
import { IsContainerTag, IsText, invalid } from '#platform/input';
import type { EventFeed } from '#ports/event-feed';
import type { Position } from '#ports/event-store';

export class EventsQuery {
  /** Continues after the event with this `id:`. The header Last-Event-ID does the same. */
  @IsText({ max: 512 })
  after?: string;

  /** Only these types, separated by commas. */
  @IsText({ max: 2048 })
  types?: string;

  /** Only events of documents with this tag. */
  @IsContainerTag()
  containerTag?: string;
}

/**
 * Returns the position after which to continue, or null to start with new events.
 * @throws InputError 400 for an invalid cursor, one of another log, and one behind the end of the log
 */
export async function resumeAfter(
  feed: EventFeed,
  lastEventId: string | undefined,
  after: string | undefined,
): Promise<Position | null> {
  const [name, text] = lastEventId !== undefined ? ['Last-Event-ID', lastEventId] : ['after', after];
  if (text === undefined || text === '') return null;
  const store = `${feed.storeId}:`;
  const position = text.startsWith(store) ? await feed.positionOf(text.slice(store.length)) : null;
  if (position === null) throw invalid(name, `${name} is no position of this server's log`);
  return position;
}

export function eventTypes(types: string | undefined): readonly string[] | null {
  const names = types?.split(',').filter((name) => name !== '') ?? [];
  for (const name of names) {
    if (!Object.hasOwn(DOCUMENT_EVENTS, name)) throw invalid('types', `types names no event: ${name}`);
  }
  return names.length === 0 ? null : names;
}
