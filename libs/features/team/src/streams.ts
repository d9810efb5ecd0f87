const PREFIX = 'member-';

export const memberStream = (id: string): string => PREFIX + id;

/** The id of the person whose stream it is. Null: it is the stream of something else. */
export const memberIdIn = (stream: string): string | null =>
  stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : null;

export const ownersStream = (organization: string): string => `owners-${organization}`;
