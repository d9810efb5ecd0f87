import type { EventFeed } from '#event-feed';
import type { Position } from '#event-store';
import { invalid } from '../errors/api-error.ts';
import { IsContainerTag } from '../validation/rules/container-tags.ts';
import { IsText } from '../validation/rules/text.ts';

const TYPE_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

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
 * @throws ApiError 400 for a cursor of another log or an invalid one
 */
export function resumeAfter(feed: EventFeed, lastEventId: unknown, after: string | undefined): Position | null {
  const [name, text] = typeof lastEventId === 'string' ? ['Last-Event-ID', lastEventId] : ['after', after];
  if (text === undefined || text === '') return null;
  const store = `${feed.storeId}:`;
  const position = text.startsWith(store) ? feed.parsePosition(text.slice(store.length)) : null;
  if (position === null) throw invalid(name, `${name} is no position of this server's log`);
  return position;
}

export function eventTypes(types: string | undefined): readonly string[] | null {
  const names = types?.split(',').filter((name) => name !== '') ?? [];
  for (const name of names) {
    if (!TYPE_NAME.test(name)) throw invalid('types', `types must be names of events separated by commas`);
  }
  return names.length === 0 ? null : names;
}
