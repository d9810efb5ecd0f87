/**
 * Splits a list into parts of at most so many bytes of JSON; an item that has more is a part by itself. An empty list is
 * one empty part.
 */
export function splitList<T>(items: readonly T[], maxBytes: number): readonly (readonly T[])[] {
  const parts: T[][] = [[]];
  let room = maxBytes;
  for (const item of items) {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > room && parts.at(-1)?.length !== 0) {
      parts.push([]);
      room = maxBytes;
    }
    parts.at(-1)?.push(item);
    room -= bytes;
  }
  return parts;
}
