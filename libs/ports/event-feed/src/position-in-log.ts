import type { EventStore, Position } from '#ports/event-store';

/** Returns null if the text is not the position of an event that this log holds. */
export async function positionInLog(
  store: Pick<EventStore, 'parsePosition' | 'holds'>,
  text: string,
): Promise<Position | null> {
  const position = store.parsePosition(text);
  return position !== null && (await store.holds(position)) ? position : null;
}
