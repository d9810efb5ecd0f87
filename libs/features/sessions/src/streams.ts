const PREFIX = 'session-';

export const sessionStream = (id: string): string => PREFIX + id;

/** The id of the session whose stream it is. Null: it is the stream of something else. */
export const sessionIdIn = (stream: string): string | null =>
  stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : null;
