import type { EventFeed } from '#event-feed';
import type { Position } from '#event-store';
import { invalid } from '../errors/api-error.ts';
import { Text } from '../validation/fields.ts';
import { Tag } from '../validation/values.ts';

const TYPE_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

export class EventsQuery {
  @Text('Goes on behind this event: the `id:` of one that was received. Also as header Last-Event-ID.', { max: 512 })
  after?: string;

  @Text('Only these types, separated by commas.', { max: 2048 })
  types?: string;

  @Tag('Only events of documents with this tag.')
  containerTag?: string;
}

/** Where to go on. Null: from now on. @throws ApiError 400 for a place in another log, or none */
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
