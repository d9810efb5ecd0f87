import type { EventStore, Position } from '#event-store';

/** Returns null if the text is not a position of this log up to its present end. */
export async function positionInLog(store: EventStore, text: string): Promise<Position | null> {
  const position = store.parsePosition(text);
  if (position === null) return null;
  const head = await store.head();
  if (head === null || store.compare(position, head) > 0) return null;
  try {
    // A number that lies within an event of this log, so one of another log.
    await store.readAll({ after: position, limit: 1, envelopesOnly: true });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return position;
}
