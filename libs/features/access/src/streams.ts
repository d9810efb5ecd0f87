const PREFIX = 'key-';

export const keyStream = (id: string): string => PREFIX + id;

/** The id of the key whose stream it is. Null: it is the stream of something else. */
export const keyIdIn = (stream: string): string | null =>
  stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : null;
